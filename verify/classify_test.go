package verify

import (
	"testing"

	"github.com/plumbresearch/plumb"
)

func TestConfidence(t *testing.T) {
	for s, want := range map[string]plumb.Confidence{
		"Sales grew 15% in Q3 2025 according to Reuters.": plumb.High,
		"Sales grew 15% last autumn.":                     plumb.Medium,
		"Sales grew last autumn.":                         plumb.Low,
		"The market may be larger, 15% in 2025.":          plumb.Uncertain,
		"It opened in May 2024.":                          plumb.Medium,
		"May was the best month for the port.":            plumb.Low,
		"Theresa May resigned.":                           plumb.Low,
		"They might close it.":                            plumb.Uncertain,
		"The military might of Rome faded.":               plumb.Low,
		"The mighty river flooded the town.":              plumb.Low,
		"Women are twice more likely to return.":          plumb.Low,
		"The dam will likely fail.":                       plumb.Uncertain,
		"The mayor reportedly left.":                      plumb.Uncertain,
		"Some sources give another date.":                 plumb.Uncertain,
		"The bridge appears to lean.":                     plumb.Uncertain,
		"The study found lead in 40 percent of wells.":    plumb.High,
		"The data show a decline since 1999.":             plumb.High,
		"It cost $4 million in 1999.":                     plumb.High,
		"根据2025年最新数据，安联的资产为1.05万亿美元。":                     plumb.High,
		"这可能是最大的港口，占百分之十。":                                plumb.Uncertain,
		"Das Werk wurde möglicherweise 1999 geschlossen.": plumb.Uncertain,
		"AI could bring great benefits.":                  plumb.Uncertain,
		"They could not find it.":                         plumb.Low,
		"It began in the mid-1960s.":                      plumb.Medium,
		"On June 5, 1947, he gave a speech.":              plumb.Medium,
		"Simulation results show a gain.":                 plumb.Medium,
		"他们不可能理解这些规则。":                                    plumb.Low,
		"提高了系统的可能性分析。":                                    plumb.Low,
		"根据不同内容安排场地。":                                     plumb.Low,
		"售价1.6万-10万美金，2024年上市。":                           plumb.High,
	} {
		if got := confidenceOf(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestClaimType(t *testing.T) {
	for s, want := range map[string]plumb.ClaimType{
		"Demand will grow by 5% a year.":                     plumb.Prediction,
		"His will names three heirs.":                        plumb.Factual,
		"Will Smith opened the bridge.":                      plumb.Factual,
		"The free will debate is old.":                       plumb.Factual,
		"The town of Willow Creek has one bridge.":           plumb.Factual,
		"Analysts expect a decline.":                         plumb.Prediction,
		"Growth was slower than expected.":                   plumb.Factual,
		"Life expectancy rose to 81.":                        plumb.Factual,
		"An unexpected flood hit the town.":                  plumb.Factual,
		"The IMF forecasts growth of 3%.":                    plumb.Prediction,
		"预计2030年市场规模翻倍。":                                     plumb.Prediction,
		"Inflation is defined as a rise of the price level.": plumb.Definition,
		"Herd immunity refers to indirect protection.":       plumb.Definition,
		"This means that prices rose.":                       plumb.Factual,
		"Insolvency means that debts cannot be paid.":        plumb.Definition,
		"Cities should close the road.":                      plumb.Opinion,
		"Betterton lies on the Chesapeake Bay.":              plumb.Factual,
		"Best Buy and Western Digital merged their depots.":  plumb.Factual,
		"She bought shares of Best Buy.":                     plumb.Factual,
		"It is the best-selling car.":                        plumb.Factual,
		"He is better known as Mark Twain.":                  plumb.Factual,
		"The new pump is better than the old one.":           plumb.Opinion,
		"It was the worst choice.":                           plumb.Opinion,
		"The shoulder of the road collapsed.":                plumb.Factual,
		"The bridge opened in 1962.":                         plumb.Factual,
		"A network is trained to predict the yield.":         plumb.Factual,
		"该模型用于预测材料性能。":                                       plumb.Factual,
		"高盛预测金价将升至4000美元。":                                   plumb.Prediction,
		"AI is likely to automate some tasks.":               plumb.Prediction,
		"The term can be defined loosely as a margin.":       plumb.Definition,
		"自闭症是一种以社交障碍为特征的发展障碍。":                               plumb.Definition,
		"港口由三个部分组成。":                                         plumb.Factual,
		"教学中应运用强化原理。":                                        plumb.Opinion,
		"同时，要建立训练程序表。":                                       plumb.Opinion,
		"这项技术应用于很多领域。":                                       plumb.Factual,
		"Contacts: Keep the numbers at hand.":                plumb.Opinion,
		"Keepers of the light live here.":                    plumb.Factual,
	} {
		if got := typeOf(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}
