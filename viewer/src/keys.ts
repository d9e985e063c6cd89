// Keys, and the page that explains them.
import { h } from './dom';

export interface KeyActions {
  toggle: () => void;
  step: (frames: number) => void;
  begin: () => void;
  end: () => void;
  faster: (direction: 1 | -1) => void;
  view: (direction: 'home' | 'front' | 'side' | 'top') => void;
  follow: () => void;
  layer: (key: string) => void;
  forces: () => void;
  panel: () => void;
  theme: () => void;
  help: () => void;
}

const rows: [string, string][] = [
  ['Space', 'play, pause'],
  ['← →', 'one frame back, on; with Shift ten'],
  ['Home End', 'to the beginning, the end'],
  ['[ ]', 'slower, faster'],
  ['1 2 3 0', 'from the front, the side, above; all of it'],
  ['F', 'camera follows: off, the whole, one body after the other'],
  ['J A B N', 'joints, joint axes, body frames, names'],
  ['R L T G', 'reactions, forces, traces, ground'],
  ['P D', 'panel, dark or light'],
  ['?', 'this help'],
];
const mouse: [string, string][] = [
  ['drag', 'turn; with the right button or Ctrl shift'],
  ['wheel', 'nearer, farther'],
  ['double click', 'trace of that point of a body'],
  ['click a plot', 'to that time; drag to enlarge, double click for all'],
];

const layerKeys: Record<string, string> = { j: 'joints', a: 'axes', b: 'frames', n: 'labels', r: 'reactions', t: 'traces', g: 'ground' };

export function listen(actions: KeyActions): void {
  window.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches('input[list], input[type="text"], select');
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === ' ' && target.matches('button, summary')) return; // they have their own use for it
    const run: Record<string, () => void> = {
      ' ': actions.toggle,
      ArrowLeft: () => actions.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => actions.step(event.shiftKey ? 10 : 1),
      Home: actions.begin,
      End: actions.end,
      '[': () => actions.faster(-1),
      ']': () => actions.faster(1),
      '1': () => actions.view('front'),
      '2': () => actions.view('side'),
      '3': () => actions.view('top'),
      '0': () => actions.view('home'),
      f: actions.follow,
      l: actions.forces,
      p: actions.panel,
      d: actions.theme,
      '?': actions.help,
      h: actions.help,
    };
    const action = run[key] ?? (layerKeys[key] ? () => actions.layer(layerKeys[key]) : null);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

export function helpDialog(): HTMLDialogElement {
  const list = (entries: [string, string][]) =>
    h('dl', {}, ...entries.flatMap(([keys, text]) => [
      h('dt', {}, ...keys.split(' ').flatMap((key, k) => [k > 0 ? ' ' : '', h('kbd', {}, key)])),
      h('dd', {}, text),
    ]));
  const dialog = h('dialog', { 'aria-label': 'keys' }, h('h2', {}, 'Keys'), list(rows), h('h2', {}, 'Mouse'), list(mouse),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
