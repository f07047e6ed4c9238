/// The look of a report's page: readable in light and dark, on paper, and by whoever cannot tell red from green (the
/// hues are those of Okabe and Ito, which differ in lightness too).
enum PageStyle {
  /// Series have the classes `s0` … `s7`, in the order of their meaning in a chart.
  static let seriesCount = 8

  static let css = """
    :root{color-scheme:light dark;--paper:#fbfbf9;--card:#fff;--ink:#1c2024;--soft:#5b636b;--line:#dfe2e5;
    --s0:#0072b2;--s1:#e69f00;--s2:#009e73;--s3:#cc79a7;--s4:#d55e00;--s5:#56b4e9;--s6:#8a8f94;--s7:#3d4349}
    @media (prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1c2024;--ink:#eceff1;--soft:#a4adb5;
    --line:#353b41;--s0:#4ba3e0;--s1:#f0b429;--s2:#2fc294;--s3:#e09bc4;--s4:#f2814a;--s5:#8fd0f5;--s6:#9aa1a8;
    --s7:#d5dade}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--paper);color:var(--ink);
    font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
    main{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
    header p,footer{color:var(--soft);margin:.25rem 0 0}
    h1{font-size:1.9rem;line-height:1.2;margin:0}
    h2{font-size:1.25rem;margin:0 0 .25rem}
    h3{font-size:.95rem;margin:1.5rem 0 .5rem}
    nav{margin:1.25rem 0 0;display:flex;flex-wrap:wrap;gap:.4rem 1.1rem}
    a{color:inherit;text-underline-offset:.2em}
    section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem;margin:1.5rem 0 0}
    section>p{margin:0 0 1rem;max-width:46rem}
    .figures{display:flex;flex-wrap:wrap;gap:.75rem 2.25rem;margin:0 0 .5rem;padding:0;list-style:none}
    .figures b{display:block;font-size:1.6rem;line-height:1.2;font-variant-numeric:tabular-nums}
    .figures span{color:var(--soft);font-size:.9rem}
    .note{color:var(--soft);font-size:.9rem;margin:-.25rem 0 .5rem;max-width:46rem}
    figure{margin:0}
    svg{display:block;width:100%;height:auto}
    svg text{fill:var(--soft);font-size:12px;font-family:inherit;font-variant-numeric:tabular-nums}
    svg .strong{fill:var(--ink);font-size:13px}
    .grid{stroke:var(--line);stroke-width:1}
    .track{fill:var(--line);opacity:.55}
    .mark{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 3}
    .stroke{fill:none;stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}
    .legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.25rem 0 .5rem;padding:0;list-style:none;font-size:.9rem}
    .legend i{display:inline-block;width:.8em;height:.8em;border-radius:.15em;margin-right:.4em;vertical-align:-.05em}
    details{margin-top:1rem;font-size:.9rem}
    summary{cursor:pointer;color:var(--soft)}
    .scroll{overflow-x:auto;max-height:26rem;margin-top:.5rem}
    table{border-collapse:collapse;font-variant-numeric:tabular-nums}
    th,td{padding:.25rem .9rem .25rem 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
    th:first-child,td:first-child{text-align:left}
    th{color:var(--soft);font-weight:600}
    @media print{body{background:#fff}section{break-inside:avoid}details,nav{display:none}}

    """
    + (0..<seriesCount).map {
      ".s\($0){fill:var(--s\($0));background:var(--s\($0))}.stroke.s\($0){fill:none;stroke:var(--s\($0))}\n"
    }.joined()
}
