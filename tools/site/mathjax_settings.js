// MathJax typesets what Markdown's arithmatex marked, as SVG: no font files, so that it works from a folder on disk.
window.MathJax = {
  jax: ['input/TeX', 'output/SVG'],
  extensions: ['tex2jax.js', 'TeX/AMSmath.js', 'TeX/AMSsymbols.js'],
  tex2jax: {
    inlineMath: [['\\(', '\\)']],
    displayMath: [['\\[', '\\]']],
    ignoreClass: '.*',
    processClass: 'arithmatex',
  },
  TeX: { Macros: { R: '\\mathbb{R}', dexp: '\\operatorname{dexp}', Ad: '\\operatorname{Ad}', diag: '\\operatorname{diag}' } },
  SVG: { scale: 85 },
  displayAlign: 'left',
  displayIndent: '1em',
  messageStyle: 'none',
  showMathMenu: false,
  positionToHash: false,
};
