// What cannot be read on a page: letters too pale for WCAG, a page wider than its window, what has no name to be told.
(() => {
  const found = [], light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
  const parts = s => { const [r, g, b, a = 1] = s.match(/[\d.]+/g).map(Number); return [r, g, b, a] };
  const over = (a, b) => [0, 1, 2].map(k => a[k] * a[3] + b[k] * (1 - a[3]));
  const paper = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  const behind = e => e ? over(parts(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : paper;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement, style = getComputedStyle(e);
    if (!texts.currentNode.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest("script, style, title, option, :disabled, .wy-side-nav-search")) continue;
    const back = behind(e.closest("svg") || e), letters = over(parts(e.closest("svg") ? style.fill : style.color), back);
    const [low, high] = [light(letters), light(back)].sort((a, b) => a - b), ratio = (high + .05) / (low + .05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 40)}`);
  }
  const wide = document.documentElement.scrollWidth, room = document.documentElement.clientWidth;
  if (wide > room + 1) found.push(`${wide} wide in ${room}`);
  for (const e of document.querySelectorAll("button, a[href], input, select, textarea, svg[role=img], [tabindex]"))
    if (e.checkVisibility() && !(e.ariaLabel || e.labels?.[0] || e.title || e.textContent.trim())) found.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  if (!document.querySelector("main, [role=main]")) found.push("no main part");
  return found;
})()
