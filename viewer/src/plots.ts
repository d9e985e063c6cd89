// Curves of recorded quantities, with a line at the present time.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { plotColor } from './colors';
import { h, short } from './dom';
import { Run, Series, valueAt } from './run';

export interface Curve {
  label: string;
  series: Series;
  ghost?: Series | null; // the same of the second run
}

export interface PlotOptions {
  title: string;
  curves: Curve[];
  log?: boolean;
  height?: number;
}

// A logarithmic axis has no place for zero and below.
// A gap where a number is not defined, or has no logarithm.
const shownValue = (value: number, log: boolean) => (!Number.isFinite(value) || (log && value === 0) ? null : log ? Math.abs(value) : value);

export class Plot {
  readonly element: HTMLElement;
  private chart: uPlot | null = null;
  private readonly cursor = h('div', { class: 'now' });
  private readonly area = h('div', { class: 'chart' });
  private readonly values: HTMLElement[] = [];
  private readonly heading = h('h3', {}, '');
  private readonly legend = h('div', { class: 'legend' });
  private log: boolean;
  private time = 0;
  private width = 0; // of the area with the curves

  constructor(
    readonly options: PlotOptions,
    private readonly seek: (t: number) => void,
    private dark: boolean,
    close: (plot: Plot) => void,
  ) {
    this.log = options.log ?? false;
    const scale = h('button', { class: 'small', title: 'linear or logarithmic', 'aria-pressed': String(this.log) }, 'log');
    scale.addEventListener('click', () => {
      this.log = !this.log;
      scale.setAttribute('aria-pressed', String(this.log));
      this.draw();
    });
    const remove = h('button', { class: 'small', title: 'remove this plot', 'aria-label': 'remove this plot' }, '×');
    remove.addEventListener('click', () => close(this));
    this.element = h('section', { class: 'plot' },
      h('header', {}, this.heading, h('span', { class: 'grow' }), scale, remove), this.area, this.legend);
  }

  // When it has a width.
  draw(): void {
    this.chart?.destroy();
    const width = this.area.clientWidth;
    if (width === 0) return;
    const { data, series } = this.collect();
    const ink = this.dark ? '#aab4bf' : '#4a5560';
    const grid = { stroke: this.dark ? '#2a323b' : '#e1e6eb', width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: '11px system-ui, sans-serif' };
    this.chart = new uPlot(
      {
        width,
        height: this.options.height ?? 150,
        legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { show: false } },
        scales: { x: { time: false }, y: { distr: this.log ? 3 : 1 } },
        axes: [
          { ...axis, size: 26, space: 60, values: (_, ticks) => ticks.map((t) => `${Number(t.toPrecision(6))} s`) },
          { ...axis, size: 58, values: (_, ticks) => ticks.map((y) => (y === null || y === undefined ? '' : this.log && !/^1e?/.test(y.toExponential()) ? '' : short(y))) },
        ],
        series: [{}, ...series],
      },
      data,
      this.area,
    );
    this.chart.over.append(this.cursor);
    this.width = this.chart.over.clientWidth;
    let down = 0;
    this.chart.over.addEventListener('mousedown', (event) => (down = event.clientX));
    this.chart.over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - down) < 4) this.seek(this.chart!.posToVal(event.offsetX, 'x'));
    });
    this.drawLegend();
    this.showTime(this.time, true);
  }

  // Very small or large numbers are drawn as multiples of a power of ten, which the title tells.
  private chooseFactor(): number {
    let largest = 0;
    for (const { series, ghost } of this.options.curves)
      for (const source of [series, ghost]) for (const value of source?.values ?? []) largest = Math.max(largest, Math.abs(value) || 0);
    if (this.log || !(largest > 0) || (largest >= 0.01 && largest < 1e5)) return 1;
    return 10 ** Math.floor(Math.log10(largest));
  }

  private collect(): { data: uPlot.AlignedData; series: uPlot.Series[] } {
    const factor = this.chooseFactor();
    const unit = short(factor).replace('.00', '');
    const title = this.options.title;
    this.heading.textContent = factor === 1 ? title : title.endsWith('(J)') ? title.replace('(J)', `(${unit} J)`) : `${title} (${unit})`;
    const tables: uPlot.AlignedData[] = [];
    const series: uPlot.Series[] = [];
    this.options.curves.forEach((curve, k) => {
      const stroke = plotColor(k, this.dark);
      const add = (source: Series, dash?: number[]) => {
        tables.push([Array.from(source.t), Array.from(source.values, (value) => shownValue(value / factor, this.log))]);
        series.push({ label: curve.label, stroke, width: 1.5, dash, pxAlign: 0, points: { show: source.t.length < 3 }, spanGaps: true });
      };
      add(curve.series);
      if (curve.ghost) add(curve.ghost, [4, 4]);
    });
    return { data: tables.length === 1 ? tables[0] : uPlot.join(tables), series };
  }

  private drawLegend(): void {
    this.values.length = 0;
    this.legend.replaceChildren(
      ...this.options.curves.map((curve, k) => {
        const value = h('b', {}, '');
        this.values.push(value);
        return h('span', {}, h('i', { style: `background:${plotColor(k, this.dark)}` }), `${curve.label} `, value);
      }),
    );
    if (this.options.curves.some((curve) => curve.ghost)) this.legend.append(h('span', { class: 'dim' }, 'dashed: second run'));
  }

  showTime(t: number, withValues: boolean): void {
    this.time = t;
    if (this.chart) {
      const x = this.chart.valToPos(t, 'x');
      const outside = !(x >= -1 && x <= this.width + 1);
      this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
      if (this.cursor.hidden !== outside) this.cursor.hidden = outside;
    }
    if (withValues) this.options.curves.forEach((curve, k) => {
      if (this.values[k]) this.values[k].textContent = short(valueAt(curve.series, t));
    });
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    this.draw();
  }
  get timeOfCursor(): number {
    const shift = /translateX\(([-\d.]+)px\)/.exec(this.cursor.style.transform);
    return this.chart && shift ? this.chart.posToVal(Number(shift[1]), 'x') : NaN;
  }
  get curveCount(): number {
    return this.chart ? this.chart.series.length - 1 : 0;
  }
}

// Deviation from the first value.
function change(series: Series): Series {
  return { t: series.t, values: Float64Array.from(series.values, (value) => value - series.values[0]) };
}

// What is worth seeing at once.
export function defaultPlots(run: Run, other: Run | null): PlotOptions[] {
  const curve = (name: string, of: (series: Series) => Series = (s) => s): Curve | null => {
    const series = run.series('trajectory.csv', name);
    const ghost = other?.series('trajectory.csv', name);
    return series ? { label: name, series: of(series), ghost: ghost ? of(ghost) : null } : null;
  };
  const present = (curves: (Curve | null)[]) => curves.filter((c): c is Curve => c !== null);
  const plots: PlotOptions[] = [];
  if (run.bodyCount === 0) {
    plots.push({ title: 'Variables', curves: present((run.model.variables ?? []).slice(0, 6).map((v) => curve(v.name))), height: 220 });
  } else {
    plots.push({ title: 'Energy (J)', curves: present(['kinetic', 'potential', 'energy'].map((name) => curve(name))) });
    plots.push({ title: 'Change of the total energy (J)', curves: present([curve('energy', change)]), height: 110 });
    const violation = curve('constraint');
    if (violation && violation.series.values.some((value) => value > 0))
      plots.push({ title: 'Largest constraint violation', curves: [violation], log: true, height: 110 });
    const first = run.quantities().find(({ table }) => table === 'trajectory.csv')?.names.filter((name) => /\.q\d+$/.test(name)) ?? [];
    const joints = [...new Set(first.map((name) => name.replace(/\.q\d+$/, '')))];
    const single = joints.filter((joint) => !first.includes(`${joint}.q1`)).slice(0, 4);
    if (single.length > 0) plots.push({ title: 'Joint coordinates', curves: present(single.map((joint) => curve(`${joint}.q0`))) });
  }
  return plots.filter((plot) => plot.curves.length > 0);
}
