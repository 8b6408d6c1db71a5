/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Contrast in both schemes: text at least 4.5:1, symbols in drawings 3:1. Each meaning also has a word, a
 * glyph or a pattern.
 */
#include "html.h"

#define LIGHT                                                                                                \
    "--paper:#fff;--panel:#f6f7f8;--ink:#16191d;--muted:#545b64;--rule:#d5d9de;--strong:#838b95;"            \
    "--guard:#e9ebee;--node:#0b57a4;--bench:#5c6470;--bad:#b3261e;--good:#17663a;--warn:#7a4f00;"            \
    "--unsure:#6a3fa0;--mark:#fbdad7;"

#define DARK                                                                                                 \
    "--paper:#14171a;--panel:#1c2024;--ink:#e8eaed;--muted:#a4acb6;--rule:#343a41;--strong:#737c87;"         \
    "--guard:#262b31;--node:#7cb7ff;--bench:#a4acb6;--bad:#ff8a80;--good:#6fd08c;--warn:#f0b95a;"            \
    "--unsure:#c5a3ff;--mark:#5a2320;"

#define L PB_HTML_COLUMN

const char pb_html_plot_style[] =
    ".trace{fill:none;stroke:var(--node);stroke-width:1.2}.other{fill:none;stroke:var(--bench);"
    "stroke-width:1.2;stroke-dasharray:5 "
    "2}.dot{fill:var(--node);fill-opacity:.7}.chart{display:block;width:100%;max-width:52rem;margin:.5rem "
    "0}\n"
    /* On a narrow screen the drawing is half as large: larger labels, fewer of them, and the name of the axis
     * that goes up above its labels, in place of next to them. */
    "@media screen and (max-width:40rem){.chart{overflow:visible;margin:1.75rem 0 1rem}.chart "
    "text{font-size:20px}"
    ".chart .spare{display:none}.chart .across{transform:translateY(8px)}"
    ".chart .up{transform:translateY(-8px);text-anchor:start}}\n";

const char pb_html_style[] =
    ":root{color-scheme:light dark;" LIGHT "}\n"
    "@media screen and (prefers-color-scheme:dark){:root{" DARK "}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:2.5rem clamp(1rem,4vw,3rem) 4rem;max-width:76rem;background:var(--paper);"
    "color:var(--ink);font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
    "font-variant-numeric:tabular-nums}\n"
    "code,pre,.mono{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"
    "font-size:.92em}\n"
    "h1,h2,p,dl,dd,figure{margin:0}\n"
    "h1{font-size:1.15rem;font-weight:600;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15rem;font-weight:600;margin:3rem 0 .75rem;padding-top:.75rem;border-top:1px solid "
    "var(--rule)}\n"
    "h2+p,.note{color:var(--muted);max-width:46rem}\n"
    ".note{margin-top:.6rem;font-size:.87rem}\n"
    ".over{color:var(--muted);font-size:.87rem}\n"
    ".verdict{margin:1.5rem 0 2rem;padding:.1rem 0 .2rem 1.25rem;border-left:.4rem solid var(--tone)}\n"
    ".verdict b{display:block;color:var(--tone);font-size:2.75rem;line-height:1.15;font-weight:700;"
    "letter-spacing:-.01em}\n"
    ".verdict p{font-size:1.2rem;line-height:1.4;margin-top:.35rem;max-width:46rem;overflow-wrap:anywhere}\n"
    ".pass{--tone:var(--good)}.marginal{--tone:var(--warn)}.fail{--tone:var(--bad)}"
    ".inconclusive{--tone:var(--unsure)}\n"
    ".tone{color:var(--tone);font-weight:600;white-space:nowrap}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:1rem 1.5rem}\n"
    ".figures.four{grid-template-columns:repeat(auto-fill,minmax(min(14rem,40%),1fr))}\n"
    ".figures dt{color:var(--muted);font-size:.83rem}\n"
    ".figures dd{font-size:1.35rem;line-height:1.25}\n"
    ".figures small{font-size:.83rem;color:var(--muted)}\n"
    ".facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3rem 1.5rem}\n"
    ".facts dt{color:var(--muted)}.facts dd{overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}\n"
    ".wide+.wide{margin-top:1rem}.wide+p{margin-top:.6rem}\n"
    ".wide:focus-visible{outline:2px solid var(--node);outline-offset:3px}\n"
    "table{border-collapse:collapse;width:100%;margin-top:.25rem}\n"
    "caption{text-align:left;color:var(--muted);font-size:.87rem;padding-bottom:.5rem}\n"
    "th,td{text-align:left;vertical-align:top;padding:.35rem 1.25rem .35rem 0;border-bottom:1px solid "
    "var(--rule)}\n"
    "th:last-child,td:last-child{padding-right:0}\n"
    "thead th{font-size:.83rem;font-weight:600;color:var(--muted);vertical-align:bottom;white-space:nowrap;"
    "border-bottom-color:var(--strong)}\n"
    "tbody th{font-weight:500}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    ".one{white-space:nowrap}\n"
    ".text{min-width:12rem;max-width:26rem;overflow-wrap:anywhere}\n"
    ".tight{width:auto}\n"
    ".dense th,.dense td{padding-top:.18rem;padding-bottom:.18rem;padding-right:.7rem;font-size:.87rem}\n"
    ".plots td,.plots th{padding-top:0;padding-bottom:0;vertical-align:middle}\n"
    ".plots{width:auto}\n"
    ".plots thead th{vertical-align:bottom;padding-bottom:.35rem}\n"
    ".plots td.plot,.plots thead th.plot{padding:0 0 0 .5rem;width:640px}\n"
    ".plot svg{display:block;width:640px;height:auto}\n"
    ".timeline{display:block;width:100%;height:auto}\n"
    /* The timeline that the script draws; the still one is printed. */
    ".live{display:none}.patterns{position:absolute;width:0;height:0}\n"
    "@media screen{.live{display:block}.scripted>.wide{display:none}}\n"
    ".zoom{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.25rem 0 .75rem}"
    ".zoom small{color:var(--muted);font-size:.83rem;flex:1 1 20rem}\n"
    ".zoom button{min-width:2.5rem;min-height:2.25rem;padding:0 .75rem;font:inherit;color:var(--ink);"
    "background:var(--panel);border:1px solid var(--strong);border-radius:.25rem;cursor:pointer}\n"
    ".view{touch-action:pan-y;cursor:crosshair;user-select:none}.view svg{display:block;pointer-events:none}"
    ".view:focus-visible,.zoom button:focus-visible{outline:2px solid var(--node);outline-offset:2px}\n"
    ".cursor{stroke:var(--ink);stroke-width:1}.at{fill:var(--node);fill-opacity:.09}\n"
    ".reading{min-height:4.5em;margin-top:.5rem;padding:.35rem .75rem;background:var(--panel);"
    "border:1px solid var(--rule);font-size:.92rem;overflow-wrap:anywhere}\n"
    "mark{background:var(--mark);color:inherit;font-weight:700;text-decoration:underline;"
    "text-underline-offset:.2em}\n"
    "pre{margin:.5rem 0 0;padding:.75rem 1rem;background:var(--panel);border:1px solid var(--rule);"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".bytes{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem 1.5rem;margin-top:1rem;"
    "padding:.75rem 1rem;background:var(--panel);border:1px solid var(--rule)}\n"
    ".bytes dt{color:var(--muted)}.bytes dd{overflow-wrap:anywhere}\n"
    "a{color:var(--node)}\n"
    "summary{cursor:pointer;color:var(--muted);font-size:.87rem;padding:.25rem 0}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;margin-top:.5rem;padding:0;list-style:none;"
    "font-size:.87rem;color:var(--muted)}\n"
    ".legend svg{width:28px;height:14px;vertical-align:-2px;margin-right:.45rem}\n"
    "svg text{fill:var(--muted);font:11px system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
    "font-variant-numeric:tabular-nums}\n"
    "svg .name{fill:var(--ink);font-weight:600}\n"
    "svg .ends{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans "
    "Mono\",monospace;font-size:10.5px}\n"
    "svg .mid{text-anchor:middle}svg .end{text-anchor:end}\n"
    ".guard{fill:var(--guard)}\n"
    ".line{stroke:var(--rule);stroke-width:1}.edge{stroke:var(--strong);stroke-width:1}\n"
    ".node{fill:var(--node);stroke:var(--node)}\n"
    ".bench{fill:url(#pb-hatch);stroke:var(--bench)}\n"
    ".node.wrong{fill:var(--bad);stroke:var(--bad)}\n"
    ".bench.wrong{fill:url(#pb-hatch-bad);stroke:var(--bad)}\n"
    ".missing{fill:var(--paper);stroke:var(--bad);stroke-dasharray:3 2}\n"
    ".hatch{stroke:var(--bench);stroke-width:2}.hatch-bad{stroke:var(--bad);stroke-width:2}\n"
    ".ground{fill:var(--paper)}\n"
    "svg .glyph{fill:var(--bad);font-weight:700;font-size:13px;text-anchor:middle}\n"
    ".found{fill:var(--bad)}.near{fill:var(--paper);stroke:var(--warn);stroke-width:1.5}\n"
    ".known{fill:var(--paper);stroke:var(--unsure);stroke-width:1.5}\n"
    ".fault{fill:none;stroke:var(--unsure);stroke-width:1.5;stroke-dasharray:5 2}\n"
    ".column{fill:var(--mark);opacity:.55}\n"
    ".bar{fill:var(--node)}.bar-bad{fill:url(#pb-hatch-bad);stroke:var(--bad)}\n"
    ".limit{stroke:var(--ink);stroke-width:1;stroke-dasharray:3 2}\n"
    ".break{fill:none;stroke:var(--strong);stroke-width:1}\n"
    ".chart{display:block;width:100%;max-width:52rem;margin:.5rem 0}\n"
    "svg .out{fill:var(--bad);font-weight:600}\n"
    "footer{margin-top:3rem;padding-top:.75rem;border-top:1px solid "
    "var(--rule);color:var(--muted);font-size:.83rem}\n"
    /* On a narrow screen a row of a table is a block, each value after its name; nothing scrolls sideways.
     */
    "@media screen and (max-width:40rem){body{font-size:14px;padding-top:1.25rem}.verdict b{font-size:2.1rem}"
    ".facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:.5rem}"
    ".wide{overflow-x:visible}table,caption,tbody,thead{display:block;width:auto}thead{display:none}"
    "tr{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.35rem 0;border-bottom:1px solid var(--rule)}"
    "th,td,.dense th,.dense td{border:0;padding:0;text-align:left;white-space:normal;min-width:0;"
    "max-width:100%;overflow-wrap:anywhere}"
    ".of-suite tbody th{flex:0 0 100%}"
    "tr>::before{color:var(--muted);font:.83rem system-ui,sans-serif}"
    ".plots thead{display:block}.plots thead tr{border:0}.plots thead th{display:none}"
    ".plots td.plot,.plots thead th.plot{display:block;width:100%;padding:0}"
    ".plot svg{width:100%;overflow:visible}.plot svg text{font-size:17px}"
    ".timeline{min-width:0!important}.timeline text{font-size:17px}"
    ".timeline .phase,.timeline .ends{display:none}\n"
    /* clang-format off */
    L("bound", 2, "if") L("bound", 3, "found")
    L("margins", 2, "values") L("margins", 3, "margin") L("margins", 4, "U95") L("margins", 6, "at")
    L("measured", 2, "n") L("measured", 3, "min") L("measured", 4, "mean") L("measured", 5, "max")
    L("measured", 6, "sd") L("measured", 7, "from") L("measured", 8, "to") L("measured", 9, "U95")
    L("measured", 10, "margin")
    L("start", 1, "link") L("start", 2, "dimension") L("start", 3, "count") L("start", 4, "min")
    L("start", 5, "mean") L("start", 6, "max") L("start", 7, "sd")
    L("nodes", 3, "sent") L("nodes", 4, "forwarded") L("nodes", 5, "received") L("nodes", 6, "for itself")
    L("nodes", 7, "tx_frames") L("nodes", 8, "rx_frames") L("nodes", 9, "delivered")
    L("nodes", 10, "queue_drops") L("nodes", 11, "evidence") L("nodes", 12, "identity")
    L("findings", 3, "at") L("findings", 4, "superframe") L("findings", 5, "phase") L("findings", 6, "link")
    L("findings", 7, "dim") L("findings", 8, "bit") L("findings", 9, "expected") L("findings", 10, "seen")
    L("hops", 2, "superframe") L("hops", 3, "phase") L("hops", 4, "dim") L("hops", 5, "link")
    L("hops", 7, "by") L("hops", 8, "message") L("hops", 10, "start") L("hops", 11, "end")
    L("hops", 12, "bytes")
    L("suite", 4, "slots") L("suite", 5, "findings") L("suite", 6, "margin, us") L("suite", 7, "queue")
    L("suite", 8, "time, s")
    L("rigs", 2, "board") L("rigs", 3, "cases") L("rigs", 4, "taken out")
    L("rises", 1, "link") L("rises", 2, "known by") L("rises", 3, "least ns") L("rises", 4, "most ns")
    L("budget", 2, "shape") L("budget", 3, "falling") L("budget", 4, "rising")
    L("corrected", 1, "link") L("corrected", 2, "mean us") L("corrected", 3, "U95 ns")
    L("corrected", 4, "deviation ns") L("corrected", 5, "stamps") L("corrected", 6, "phases of a step")
    L("faults", 1, "number") L("faults", 4, "receipt") L("faults", 6, "explains")
    /* clang-format on */
    ".of-start [colspan]::before,.of-start .plot::before{content:none}}\n"
    "@page{size:A4;margin:14mm 12mm}\n"
    "@media print{body{max-width:none;padding:0;font-size:9.5pt}h2{margin-top:1.5rem}"
    /* What names a table or a drawing stays on its page, as does the head of a table with its first row. */
    "h2,h3,h2+p,h3+p,h2+.over,.note,caption,summary{break-after:avoid}"
    "tbody:first-of-type tr:first-child{break-before:avoid}"
    ".wide{overflow:visible}tr,figure,.verdict,.figures,.bytes,.timeline{break-inside:avoid}thead{display:"
    "table-header-group}"
    ".timeline{min-width:0!important}svg,mark,.bytes,pre{-webkit-print-color-adjust:exact;print-color-adjust:"
    "exact}"
    ".plots td.plot,.plots thead th.plot,.plot svg{width:440px}.text{min-width:0}"
    "th,td{padding-right:.6rem}"
    /* As wide as the paper with frames of 9 bytes; longer ones wrap. */
    ".dense th,.dense td{font-size:7.5pt;padding-right:.3rem}.of-hops td:last-child{white-space:normal}"
    ".of-hops thead th{white-space:normal}}\n";
