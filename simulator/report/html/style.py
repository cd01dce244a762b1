"""The style of pages: light and dark by the reader's choice, light on paper, narrow on phones."""

from __future__ import annotations

_LIGHT = """\
--bg:#fff;--ink:#1b1f24;--soft:#57606a;--line:#c8ced6;--panel:#f6f8fa;--link:#0550ae;
--best:#fff3c4;--answer:#eaf3ff;--edge:#0550ae;
--u0:#eef1f4;--u0i:#57606a;--u1:#dbe9f6;--u1i:#16314d;--u2:#b3d2ec;--u2i:#0e2a45;
--u3:#ffd58a;--u3i:#3d2600;--u4:#e8590c;--u4i:#000;--store:#5b3f8c;
--l0:#0072b2;--l1:#d55e00;--l2:#009e73;--l3:#b85c8e;--l4:#a06c00;--l5:#348ae3"""
_DARK = """\
--bg:#12161c;--ink:#e6e9ee;--soft:#a3acb8;--line:#3d4653;--panel:#1b212a;--link:#7db8ff;
--best:#4a3b00;--answer:#14263c;--edge:#7db8ff;
--u0:#222933;--u0i:#a3acb8;--u1:#1e3a57;--u1i:#dcebfa;--u2:#2b5f91;--u2i:#fff;
--u3:#8a5a00;--u3i:#fff;--u4:#ff8a3d;--u4i:#000;--store:#c3a6ff;
--l0:#2f93ce;--l1:#e8792b;--l2:#009e73;--l3:#cc79a7;--l4:#e69f00;--l5:#9ad4f5"""

LINES = tuple(f"var(--l{number})" for number in range(6))
"""Colours of lines, those that differ most first: the palette, as dark as each ground needs."""

PIECES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
"""Okabe and Ito's palette, which people with any colour vision can tell apart. Some of it is too
pale for a light ground, so that every piece has an edge."""
ON_PIECES = ("#fff", "#000", "#000", "#000", "#000", "#000", "#000", "#fff")
"""The colour of text on each of them."""

STYLE = (
    f":root{{color-scheme:light dark;{_LIGHT}}}\n"
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n"
    f"@media print{{:root{{color-scheme:light;{_LIGHT}}}}}\n"
    + """\
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1rem;background:var(--bg);color:var(--ink);
font:1rem/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0;max-width:48rem;overflow-wrap:anywhere}
a{color:var(--link)}
nav{font-size:.875rem;margin:.6rem 0}nav a{margin-right:.9rem;white-space:nowrap}
.about,.note,figcaption{color:var(--soft);font-size:.875rem}
.answer{background:var(--answer);border-left:.3rem solid var(--edge);padding:.6rem .9rem}
.answer p{font-size:1.0625rem}
.scroll{overflow-x:auto;margin:.5rem 0;max-width:100%}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.2rem 0}
caption.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th.n,td.n{text-align:right;white-space:nowrap}
td:not(.n){min-width:6rem}td.w{min-width:15rem}
thead th{border-bottom:2px solid var(--soft);vertical-align:bottom}
tbody th{font-weight:400;overflow-wrap:anywhere;min-width:11rem}tbody th.n{min-width:0}
tfoot th,tfoot td{font-weight:600;border-top:2px solid var(--soft)}
tr.best th,tr.best td{background:var(--best)}
pre{background:var(--panel);border:1px solid var(--line);padding:.6rem;overflow-x:auto;
font:.8125rem/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
figure{margin:.6rem 0}
svg{display:block;max-width:100%}svg.scaled{height:auto}
svg.swatch{display:inline-block;vertical-align:middle;margin:0 .35em 0 .8em}
.nowrap{white-space:nowrap}
svg text{font:12px system-ui,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;fill:var(--ink)}
svg .halo{paint-order:stroke;stroke:var(--bg);stroke-width:4px}
svg text.s{font-size:11px}
svg .soft{fill:var(--soft)}svg .b{font-weight:600}svg .m{text-anchor:middle}svg .e{text-anchor:end}
svg .axis{stroke:var(--soft);stroke-width:1}svg .grid{stroke:var(--line);stroke-width:1}
svg .box{fill:var(--panel);stroke:var(--soft)}
svg .net{stroke:var(--soft);stroke-width:2;fill:none}svg .joint{fill:var(--soft)}
svg .frame{stroke:var(--soft);fill:none}
svg .storeframe{stroke:var(--store);stroke-width:2;fill:none}svg .thin{stroke-width:.7}
svg .track{fill:var(--bg);stroke:var(--soft);stroke-width:.5}svg .fill{fill:var(--ink)}
svg .edge{stroke:var(--soft)}
.u0{fill:var(--u0);background:var(--u0);color:var(--u0i)}
.u1{fill:var(--u1);background:var(--u1);color:var(--u1i)}
.u2{fill:var(--u2);background:var(--u2);color:var(--u2i)}
.u3{fill:var(--u3);background:var(--u3);color:var(--u3i)}
.u4{fill:var(--u4);background:var(--u4);color:var(--u4i)}
svg text.i0{fill:var(--u0i)}svg text.i1{fill:var(--u1i)}svg text.i2{fill:var(--u2i)}
svg text.i3{fill:var(--u3i)}svg text.i4{fill:var(--u4i)}
.key{display:inline-block;min-width:1.4em;padding:0 .25em;margin-right:.4em;text-align:center;
font-weight:600;font-size:.8125rem;outline:1px solid var(--soft)}
ol.way{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem;padding:0;margin:.2rem 0 .6rem;
font-size:.8125rem}
ol.way li{display:flex;align-items:center}
ol.way li+li::before{content:"\\2192";color:var(--soft);margin-right:.3rem}
ol.way span{border:1px solid var(--soft);padding:.1rem .45rem}
ol.way span.rule{border-style:dotted;background:none;color:var(--soft)}
ol.way span.store{border:2px solid var(--store);border-radius:.7rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .9rem;
font-size:.875rem;margin:.4rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.narrow{display:none}
@media (max-width:46rem){.wide{display:none}.narrow{display:block}
body{padding:.7rem}h1{font-size:1.25rem}nav a{white-space:normal}}
@media print{body{max-width:none;padding:0;font-size:10pt}nav{display:none}
.scroll,pre{overflow:visible}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
figure,tr,.box{break-inside:avoid}h2,h3{break-after:avoid}
table{font-size:8pt}th,td,tbody th,td:not(.n),td.w{padding:.1rem .3rem;min-width:0}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
"""
)
