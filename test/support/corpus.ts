/* Texts that try to run code where they are displayed. */

export const CORPUS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '"><script>alert(1)</script>',
  `'-alert(1)-'`,
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<style>@import "//x.example/";*{display:none}</style>',
  '<base href="//x.example/">',
  '<meta http-equiv=refresh content="0;url=//x.example/">',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '\u202Egnp.exe\u202C<script>alert(1)</script>',
  '__proto__',
];

/** URLs that must not become links. */
export const BAD_ADDRESSES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://x.example/1',
  'file:///etc/passwd',
  '//x.example/',
  'https:javascript:alert(1)//',
];
