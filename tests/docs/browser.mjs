// The site in headless Chromium, opened as files: search finds words, formulas are typeset, no host is asked.
// usage: node browser.mjs SOURCE_DIR BUILD_DIR SITE
import { launch } from '../viewer/support.mjs';

const site = process.argv[4];
const fail = (words) => {
  console.error(`FAILED: ${words}`);
  process.exit(1);
};
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || problems.push(`asks ${request.url()}`));

// Types a word into the search of a page; the addresses that are found. Types again until the search listens: on a
// busy machine the first letters come before its script.
async function search(from, word) {
  await page.goto(`file://${site}/${from}`);
  await page.locator('label[for=__search]').first().click({ force: true }).catch(() => {});
  const answered = () => /match|No/.test(document.querySelector('.md-search-result__meta')?.textContent ?? '');
  const type = async () => {
    await page.locator('input[name=query]').fill('');
    await page.locator('input[name=query]').fill(word);
    return page.waitForFunction(answered, null, { timeout: 5000 }).then(() => true, () => false);
  };
  let left = 24;
  while (!(await type())) if (--left === 0) fail(`the search of ${from} does not answer`);
  return page.locator('.md-search-result__link').evaluateAll((links) => links.map((link) => link.href.split('#')[0]));
}

// From the first page and from a page in a folder; the links must lead to files that are there.
for (const [from, word, expected] of [
  ['index.html', 'quaternion', 'notation.html'],
  ['tutorials/rolling.html', 'Baumgarte', 'constraints.html'],
  ['index.html', 'stick_slip', 'gallery/stick_slip.html'],
]) {
  const found = await search(from, word);
  if (!found.includes(`file://${site}/${expected}`)) fail(`the search for ${word} on ${from} does not find ${expected}, but ${found.join(' ') || 'nothing'}`);
}
if ((await search('index.html', 'zzqqxx')).length > 0) fail('the search finds what is nowhere');

// Formulas of a page that cannot be read: not typeset, of no size, or with MathJax's yellow mark of an error.
async function unreadable(name) {
  await page.goto(`file://${site}/${name}.html`);
  await page.waitForFunction(() => window.MathJax?.Hub?.Queue, null, { timeout: 60000 });
  await page.evaluate(() => new Promise((resolve) => window.MathJax.Hub.Queue(resolve)));
  return page.evaluate(() => {
    const readable = (e) => {
      const box = e.querySelector('svg')?.getBoundingClientRect();
      return box && box.width > 3 && box.height > 3 && !e.querySelector('rect[fill="rgb(255, 255, 136)"]');
    };
    return [...document.querySelectorAll('.arithmatex')].filter((e) => !readable(e)).map((e) => e.textContent.slice(0, 100));
  });
}
let formulas = 0;
for (const name of ['constraints', 'formulations', 'notation', 'analysis', 'orbits', 'identification', 'vector_language', 'codegen', 'forces', 'integrators']) {
  const bad = await unreadable(name);
  if (bad.length > 0) fail(`${name}.html has ${bad.length} formulas that cannot be read: ${bad.slice(0, 3).join(' ; ')}`);
  formulas += await page.locator('.arithmatex').count();
}
if (formulas < 150) fail(`only ${formulas} formulas were found`);
// The check itself: a formula with an unknown command must be found.
await page.evaluate(() => {
  document.querySelector('article').insertAdjacentHTML('afterbegin', '<div class="arithmatex" id="bad">\\[ \\unknown x \\]</div>');
  window.MathJax.Hub.Queue(['Typeset', window.MathJax.Hub, 'bad']);
});
await page.waitForSelector('#bad rect[fill="rgb(255, 255, 136)"]', { timeout: 20000, state: 'attached' }).catch(() => fail('a wrong formula is not marked'));

if (problems.length > 0) fail(problems.join('\n'));
await browser.close();
console.log('search, formulas and links work from a folder; no host was asked');
