package text

// Units, currencies and magnitudes, by the words that name them.

import "strings"

type unit struct {
	name   string
	kind   Kind
	factor float64 // to the base unit of the kind
	offset float64
}

// units maps a folded word to its unit; unitNames a unit by its own name.
var units, unitNames = unitTables()

func unitTables() (byWord, byName map[string]unit) {
	byWord, byName = map[string]unit{}, map[string]unit{}
	for _, row := range unitRows {
		u := unit{row.name, row.kind, row.factor, row.offset}
		byName[row.name] = u
		for _, w := range strings.Split(row.words, "|") {
			byWord[w] = u
		}
	}
	return byWord, byName
}

// The base units are percent as a share of 1, second, metre, square metre, cubic
// metre, kilogram, metre per second, kelvin, joule, watt and byte.
var unitRows = []struct {
	name   string
	kind   Kind
	factor float64
	offset float64
	words  string
}{
	{"%", KindPercent, 0.01, 0, "%|percent|per cent|pct|prozent|pour cent|por ciento|per cento|por cento|procent|процент|процента|процентов"},
	{"pp", KindPercent, 0.01, 0, "percentage point|percentage points|percent points|pp|prozentpunkte|prozentpunkten|points de pourcentage|puntos porcentuales"},
	{"bp", KindPercent, 0.0001, 0, "basis point|basis points|bps"},
	{"second", KindDuration, 1, 0, "second|seconds|sec|secs|s|sekunde|sekunden|seconde|secondes|segundos"},
	{"ms", KindDuration, 0.001, 0, "ms|millisecond|milliseconds"},
	{"minute", KindDuration, 60, 0, "minute|minutes|min|mins|minuten|minutos"},
	{"hour", KindDuration, 3600, 0, "hour|hours|hr|hrs|h|stunde|stunden|heure|heures|hora|horas"},
	{"day", KindDuration, 86400, 0, "day|days|tag|tage|tagen|jour|jours|dia|dias|дней|天"},
	{"week", KindDuration, 7 * 86400, 0, "week|weeks|woche|wochen|semaine|semaines|semana|semanas"},
	{"month", KindDuration, 30.436875 * 86400, 0, "month|months|monat|monate|monaten|mois|mes|meses|个月"},
	{"year", KindDuration, 365.2425 * 86400, 0, "year|years|yr|yrs|jahr|jahre|jahren|an|ans|annee|annees|ano|anos|anni|лет|year-old|years-old"},
	{"decade", KindDuration, 3652.425 * 86400, 0, "decade|decades|jahrzehnt|jahrzehnte|decennies|decadas"},
	{"century", KindDuration, 36524.25 * 86400, 0, "century|centuries|jahrhunderte|siecles|siglos"},
	{"nm", KindLength, 1e-9, 0, "nm|nanometre|nanometres|nanometer|nanometers"},
	{"µm", KindLength, 1e-6, 0, "µm|μm|um|micrometre|micrometres|micrometer|micrometers|micron|microns"},
	{"mm", KindLength, 1e-3, 0, "mm|millimetre|millimetres|millimeter|millimeters"},
	{"cm", KindLength, 1e-2, 0, "cm|centimetre|centimetres|centimeter|centimeters|zentimeter"},
	{"m", KindLength, 1, 0, "m|metre|metres|meter|meters|metern|metros|метров|米"},
	{"km", KindLength, 1e3, 0, "km|kilometre|kilometres|kilometer|kilometers|kilometern|kilometros|км|公里"},
	{"inch", KindLength, 0.0254, 0, "inch|inches"},
	{"foot", KindLength, 0.3048, 0, "foot|feet|ft"},
	{"yard", KindLength, 0.9144, 0, "yard|yards|yd|yds"},
	{"mile", KindLength, 1609.344, 0, "mile|miles|mi"},
	{"light-year", KindLength, 9.4607e15, 0, "light-year|light-years|light year|light years|ly"},
	{"m²", KindArea, 1, 0, "m2|sq m|square metre|square metres|square meter|square meters|quadratmeter|平方米"},
	{"km²", KindArea, 1e6, 0, "km2|sq km|square kilometre|square kilometres|square kilometer|square kilometers|quadratkilometer|平方公里"},
	{"ft²", KindArea, 0.09290304, 0, "ft2|sq ft|square foot|square feet"},
	{"sq mi", KindArea, 2589988.11, 0, "sq mi|square mile|square miles"},
	{"acre", KindArea, 4046.8564, 0, "acre|acres"},
	{"ha", KindArea, 1e4, 0, "ha|hectare|hectares|hektar|公顷"},
	{"m³", KindVolume, 1, 0, "m3|cubic metre|cubic metres|cubic meter|cubic meters|kubikmeter"},
	{"litre", KindVolume, 1e-3, 0, "l|litre|litres|liter|liters|litern"},
	{"ml", KindVolume, 1e-6, 0, "ml|millilitre|millilitres|milliliter|milliliters"},
	{"gallon", KindVolume, 0.003785411784, 0, "gallon|gallons|gal"},
	{"barrel", KindVolume, 0.158987295, 0, "barrel|barrels|bbl"},
	{"mg", KindMass, 1e-6, 0, "mg|milligram|milligrams"},
	{"µg", KindMass, 1e-9, 0, "µg|μg|ug|mcg|microgram|micrograms"},
	{"g", KindMass, 1e-3, 0, "g|gram|grams|gramm|grammes"},
	{"kg", KindMass, 1, 0, "kg|kilogram|kilograms|kilo|kilos|kilogramm|公斤"},
	{"tonne", KindMass, 1000, 0, "t|tonne|tonnes|metric ton|metric tons|tonnen|toneladas|吨"},
	{"ton", KindMass, 907.18474, 0, "ton|tons|short tons"},
	{"Mt", KindMass, 1e9, 0, "megatonne|megatonnes|megaton|megatons"},
	{"Gt", KindMass, 1e12, 0, "gt|gigatonne|gigatonnes|gigaton|gigatons"},
	{"lb", KindMass, 0.45359237, 0, "lb|lbs|pound-mass"},
	{"oz", KindMass, 0.028349523, 0, "oz|ounce|ounces"},
	{"km/h", KindSpeed, 1 / 3.6, 0, "km/h|kph|kmh|kilometres per hour|kilometers per hour"},
	{"mph", KindSpeed, 0.44704, 0, "mph|miles per hour"},
	{"m/s", KindSpeed, 1, 0, "m/s|metres per second|meters per second"},
	{"knot", KindSpeed, 0.514444, 0, "knot|knots|kn"},
	{"°C", KindTemperature, 1, 273.15, "°c|℃|degrees celsius|degree celsius|grad celsius|celsius|degrees c"},
	{"°F", KindTemperature, 5.0 / 9, 459.67 * 5 / 9, "°f|℉|degrees fahrenheit|degree fahrenheit|fahrenheit|degrees f"},
	{"kWh", KindEnergy, 3.6e6, 0, "kwh|kilowatt-hour|kilowatt-hours|kilowatt hours"},
	{"MWh", KindEnergy, 3.6e9, 0, "mwh|megawatt-hour|megawatt-hours|megawatt hours"},
	{"GWh", KindEnergy, 3.6e12, 0, "gwh|gigawatt-hour|gigawatt-hours|gigawatt hours"},
	{"TWh", KindEnergy, 3.6e15, 0, "twh|terawatt-hour|terawatt-hours|terawatt hours"},
	{"kW", KindPower, 1e3, 0, "kw|kilowatt|kilowatts"},
	{"MW", KindPower, 1e6, 0, "mw|megawatt|megawatts"},
	{"GW", KindPower, 1e9, 0, "gw|gigawatt|gigawatts"},
	{"TW", KindPower, 1e12, 0, "tw|terawatt|terawatts"},
	{"W", KindPower, 1, 0, "w|watt|watts"},
	{"KB", KindData, 1e3, 0, "kb|kilobyte|kilobytes"},
	{"MB", KindData, 1e6, 0, "mb|megabyte|megabytes"},
	{"GB", KindData, 1e9, 0, "gb|gigabyte|gigabytes"},
	{"TB", KindData, 1e12, 0, "tb|terabyte|terabytes"},
	{"PB", KindData, 1e15, 0, "pb|petabyte|petabytes"},
}

// magnitudes multiply the number before them.
var magnitudes = map[string]float64{
	"hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "billions": 1e9, "trillion": 1e12, "trillions": 1e12,
	"mn": 1e6, "mln": 1e6, "mio": 1e6, "bn": 1e9, "bln": 1e9, "mrd": 1e9, "tn": 1e12, "trn": 1e12,
	"tausend": 1e3, "millionen": 1e6, "milliarde": 1e9, "milliarden": 1e9, "billionen": 1e12,
	"mille": 1e3, "millions d": 1e6, "milliard": 1e9, "milliards": 1e9,
	"mil": 1e3, "millon": 1e6, "millones": 1e6, "milioni": 1e6, "miliardi": 1e9, "milhoes": 1e6, "bilhoes": 1e9,
	"тысяч": 1e3, "тысячи": 1e3, "тыс": 1e3, "миллион": 1e6, "миллиона": 1e6, "миллионов": 1e6, "млн": 1e6, "миллиард": 1e9, "миллиарда": 1e9, "миллиардов": 1e9, "млрд": 1e9,
	"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "万亿": 1e12, "百万": 1e6, "千": 1e3,
	"lakh": 1e5, "lakhs": 1e5, "crore": 1e7, "crores": 1e7,
}

// gluedMagnitudes count only right behind the digits, and m and b only for money.
var gluedMagnitudes = map[string]float64{"k": 1e3, "m": 1e6, "mm": 1e6, "b": 1e9, "t": 1e12}

// currencies by the sign before or the word behind the number.
var currencies = map[string]string{
	"$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "us dollars": "USD", "u.s. dollars": "USD", "美元": "USD",
	"€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "欧元": "EUR", "евро": "EUR",
	"£": "GBP", "gbp": "GBP", "pounds sterling": "GBP", "pound sterling": "GBP", "pounds": "GBP",
	"¥": "JPY", "jpy": "JPY", "yen": "JPY", "日元": "JPY", "円": "JPY",
	"cny": "CNY", "rmb": "CNY", "yuan": "CNY", "元": "CNY", "人民币": "CNY",
	"₹": "INR", "inr": "INR", "rs": "INR", "rupees": "INR", "chf": "CHF", "swiss francs": "CHF", "franken": "CHF",
	"c$": "CAD", "ca$": "CAD", "cad": "CAD", "a$": "AUD", "au$": "AUD", "aud": "AUD", "nz$": "NZD", "hk$": "HKD",
	"₽": "RUB", "rub": "RUB", "roubles": "RUB", "rubles": "RUB", "рублей": "RUB", "₩": "KRW", "krw": "KRW", "won": "KRW",
	"sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "brl": "BRL", "r$": "BRL",
}

// numberWord gives the value of a number word below a hundred.
var numberWord = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
	"eighty": 80, "ninety": 90, "dozen": 12,
}
