// The column beside the picture: what is shown, modes, plots, facts.
import { h, short } from './dom';
import { describe, Mode } from './modes';
import { columnSpelling, nearestName } from './names';
import { thin } from './plots';
import type { Run } from './run';
import type { View } from './scene/view';
import { tipOf } from './scene/traces';

export interface PanelActions {
  refresh: () => void;
  addPlot: (names: { table: string; name: string }[], part?: string) => void; // part: '8 of 12'
  chooseMode: (mode: number) => void; // -1: none
  setAmplitude: (share: number) => void;
  setFollow: (what: string) => void;
}

function section(title: string, open: boolean, ...children: Node[]): HTMLDetailsElement {
  return h('details', { open }, h('summary', {}, title), ...children);
}

export class Panel {
  readonly element = h('aside', { class: 'panel', 'aria-label': 'what is shown' });
  readonly plots = h('div');
  readonly follow = h('select', { 'aria-label': 'camera follows' });
  private readonly boxes = new Map<string, HTMLInputElement>();

  constructor(private readonly view: View, modes: Mode[], private readonly actions: PanelActions) {
    this.element.append(section('Show', true, this.layers(), this.camera()));
    if (modes.length > 0) this.element.append(section('Modes', true, this.modes(modes)));
    if (view.run.times.length > 1) this.element.append(section('Plots', true, this.plots, this.chooser()));
    if (view.run.bodyCount > 0 && view.run.times.length > 1) this.element.append(section('Traces', false, this.traces()));
    this.element.append(section('Run', view.run.times.length < 2, this.facts(view.run)));
    if (view.other) this.element.append(section('Second run', false, this.facts(view.other)));
  }

  private layers(): HTMLElement {
    const list = h('div', { class: 'layers' });
    for (const layer of this.view.layers) {
      const box = h('input', { type: 'checkbox', 'data-layer': layer.key });
      box.checked = layer.shown;
      box.addEventListener('change', () => this.setLayer(layer.key, box.checked));
      this.boxes.set(layer.key, box);
      const mark = layer.color ? h('i', { class: 'mark', style: `background:${layer.color}` }) : null;
      list.append(h('label', {}, box, h('span', {}, mark, layer.label, layer.legend ? h('small', {}, ` ${layer.legend}`) : null)));
    }
    const { model } = this.view.run;
    const acting = (model.forces ?? []).length + (model.constraints ?? []).length;
    if (acting > 0 && !this.view.run.has('forces.csv'))
      list.append(h('small', { class: 'wide' }, 'Forces were not recorded: run --record forces'));
    return list;
  }

  // All force arrows, or none of them where some are shown.
  toggleForces(): void {
    const kinds = this.view.layers.filter((layer) => layer.key.startsWith('force-'));
    const shown = !kinds.some((layer) => layer.shown);
    for (const layer of kinds) this.setLayer(layer.key, shown);
  }

  setLayer(key: string, shown?: boolean): void {
    const layer = this.view.layers.find((candidate) => candidate.key === key);
    if (!layer) return;
    layer.shown = shown ?? !layer.shown;
    layer.apply(layer.shown);
    this.boxes.get(key)!.checked = layer.shown;
    this.actions.refresh();
  }

  private camera(): HTMLElement {
    this.follow.append(h('option', { value: '' }, 'stays'), h('option', { value: '*' }, 'follows all'));
    for (const body of this.view.run.model.bodies ?? []) this.follow.append(h('option', { value: body.name }, `follows ${body.name}`));
    this.follow.value = this.view.follow;
    this.follow.addEventListener('change', () => this.actions.setFollow(this.follow.value));
    const views = (['front', 'side', 'top', 'home'] as const).map((direction) =>
      h('button', { class: 'small', onclick: () => { this.view.home(direction); this.actions.refresh(); } }, direction === 'home' ? 'all' : direction));
    return h('div', { class: 'row' }, h('span', {}, 'Camera'), this.view.run.bodyCount > 0 ? this.follow : null, ...views);
  }

  private modes(modes: Mode[]): HTMLElement {
    const select = h('select', { 'aria-label': 'mode', id: 'mode' }, h('option', { value: '-1' }, 'none'));
    modes.forEach((mode, k) => select.append(h('option', { value: String(k) }, describe(mode, k))));
    select.addEventListener('change', () => this.actions.chooseMode(Number(select.value)));
    const amplitude = h('input', { type: 'range', min: '0', max: '1', step: '0.01', value: '0.35', 'aria-label': 'amplitude' });
    amplitude.addEventListener('input', () => this.actions.setAmplitude(Number(amplitude.value)));
    return h('div', { class: 'row' }, select, 'amplitude', amplitude,
      h('span', { class: 'dim' }, 'the motion Re(shape e^iφ), half a cycle per second, without growth or decay'));
  }

  // Any recorded quantity, found by typing; several with commas, or NAME.* for all that begin so.
  private chooser(): HTMLElement {
    const all = this.view.run.quantities().flatMap(({ table, names }) => names.map((name) => ({ table, name })));
    const list = h('datalist', { id: 'quantities' });
    for (const { table, name } of all.slice(0, 4000)) list.append(h('option', { value: name, label: table }));
    const input = h('input', { list: 'quantities', placeholder: 'plot a quantity: name, or a.x, a.y', 'aria-label': 'plot a quantity', size: '30' });
    const problem = h('span', { class: 'note' });
    const add = () => {
      const wanted = input.value.split(',').map((text) => text.trim()).filter(Boolean);
      let part: string | undefined;
      const found = wanted.flatMap((text) => {
        if (text.endsWith('*')) {
          const those = thin(all.filter(({ name }) => name.startsWith(text.slice(0, -1))));
          part = those.part ?? part;
          return those.shown;
        }
        const one = all.find(({ name }) => name === text) ?? all.find(({ name }) => columnSpelling(name) === columnSpelling(text));
        return one ? [one] : [];
      });
      const missing = wanted.find((text) => !text.endsWith('*') && !all.some(({ name }) => columnSpelling(name) === columnSpelling(text)));
      const near = missing === undefined ? null : nearestName(columnSpelling(missing), all.map(({ name }) => name));
      problem.textContent = missing === undefined && found.length > 0 ? ''
        : wanted.length > 0 ? `nothing of that name was recorded${near ? `; did you mean ${near}?` : ''}` : '';
      if (found.length === 0) return;
      this.actions.addPlot(found, part);
      input.value = '';
    };
    input.addEventListener('keydown', (event) => event.key === 'Enter' && add());
    return h('div', { class: 'row' }, input, list, h('button', { onclick: add }, 'Add'), problem);
  }

  private traces(): HTMLElement {
    const list = h('div', { class: 'layers' });
    this.view.run.model.bodies!.forEach((body, k) => {
      const box = h('input', { type: 'checkbox' });
      box.checked = this.view.traces.list.some((trace) => trace.body === k);
      box.addEventListener('change', () => {
        if (box.checked) this.view.traces.add(k, tipOf(this.view.run.model, k, 1));
        else this.view.traces.removeBody(k);
        this.actions.refresh();
      });
      list.append(h('label', {}, box, body.name));
    });
    return list;
  }

  private facts(run: Run): HTMLElement {
    const s = run.summary;
    const table = h('table', { class: 'facts-table' });
    const add = (label: string, value: unknown) => {
      if (value === undefined || value === null || value === '') return;
      table.append(h('tr', {}, h('td', {}, label), h('td', {}, typeof value === 'number' ? short(value) : String(value))));
    };
    add('from', run.label);
    add('formulation', s.formulation);
    add('integrator', s.integrator);
    add('step', s.step !== undefined ? `${short(s.step)} s` : undefined);
    add('steps', s.steps !== undefined ? String(s.steps) : undefined);
    add('degrees of freedom', s.dof !== undefined ? String(s.dof) : undefined);
    add('energy drift', s.energy?.max_drift !== undefined ? `${short(s.energy.max_drift)} J at most` : undefined);
    add('violation', s.constraint?.max_position !== undefined ? `${short(s.constraint.max_position)} at most` : undefined);
    if (s.assembly) add('assembly', `coordinates changed by ${short(s.assembly.position_change)}, speeds by ${short(s.assembly.velocity_change)}`);
    add('wall time', s.wall_seconds !== undefined ? `${short(s.wall_seconds)} s` : undefined);
    add('version', s.version);
    for (const note of run.notes) add('shown', note);
    const forces = (run.model.forces ?? []).map((force) => `${force.name} (${force.type})`);
    if (forces.length > 0) add('forces', forces.slice(0, 12).join(', ') + (forces.length > 12 ? ', ...' : ''));
    return table;
  }
}
