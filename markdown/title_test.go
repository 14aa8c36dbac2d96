package markdown

import "testing"

func TestTitlesOfSourceLists(t *testing.T) {
	entry := "\n\n[1] Something, 1999\n"
	for _, heading := range []string{
		"# Sources", "## SOURCES:", "### References", "## 7. References", "## VII. Bibliography", "## A. Works Cited", "## **Sources**",
		"## Sources and References", "## References & Notes", "## Key Sources", "## Annotated Bibliography", "## References (selected)",
		"Sources\n=======", "**References**", "**Sources:**", "Sources:", "Works cited", "__Bibliography__",
		"## 参考文献", "## 十、参考文献", "## 15. 参考文献", "## 九、参考文献与数据源", "## 主要参考来源", "## 参考资料（部分）", "参考文献：", "**来源**", "## 參考文獻", "## 出典",
		"## 참고문헌", "## Quellen", "## Literaturverzeichnis", "## Quellen und Literatur", "## Références", "## Notes et références",
		"## Fuentes", "## Referencias bibliográficas", "## Fonti", "## Referências", "## Bronnen", "## Источники", "## Список литературы",
		"## Источники и литература", "## Źródła", "## Kaynakça", "## المراجع",
	} {
		if _, _, ok := SourceList(Parse(heading + entry)); !ok {
			t.Errorf("%q heads no source list", heading)
		}
	}
	for _, heading := range []string{
		"## Results", "## Resources", "## Reference architectures", "## Open source", "## Sources of error", "The sources say:",
		"## Cross-references in law", "## 数据库与数据来源分析", "## 证据基础与资料可得性", "我的参考：如下", "# Notes on method",
	} {
		if e, _, ok := SourceList(Parse(heading + entry)); ok {
			t.Errorf("%q heads the source list %+v", heading, e)
		}
	}
}

func TestLooseTitleNeedsAddresses(t *testing.T) {
	const with = "## Sources of the figures\n\n1. Survey https://a.org\n2. Census https://b.org\n"
	if e, _, _ := SourceList(Parse(with)); len(e) != 2 {
		t.Errorf("%d entries in %q", len(e), with)
	}
	const without = "## Sources of the figures\n\n1. Survey\n2. Census\n"
	if e, _, ok := SourceList(Parse(without)); ok {
		t.Errorf("%+v in %q", e, without)
	}
}
