// What tests see of the page: window.cartan. Everything is read from what is drawn.
import type { App } from './app';

export interface Hook {
  time: () => number;
  setTime: (t: number) => void;
  playing: () => boolean;
  speed: () => number;
  drawn: () => number; // pictures so far
  parts: (body: string, ghost?: boolean) => { form: string; matrix: number[] }[];
  arrows: (layer: string) => { name: string; torque: boolean; from: number[]; vector: number[] }[];
  contacts: () => { name: string; impact: boolean; at: number[]; size: number; color: string }[];
  layers: () => Record<string, boolean>;
  plots: () => { title: string; curves: number; cursor: number; logarithmic: boolean; labels: string[] }[];
  mode: () => number;
  follow: () => string;
  traces: () => number;
  camera: () => number[];
  corners: () => number[][]; // of all that moves, in the picture: -1 to 1 both ways
  letters: () => { letter: string; x: number; y: number }[]; // of the axes, in pixels of the picture
  calls: () => number; // draw calls of the last picture
  frames: () => number;
}

export function install(app: App): void {
  const hook: Hook = {
    time: () => app.player.time,
    setTime: (t) => app.player.set(t),
    playing: () => app.player.playing,
    speed: () => app.player.speed,
    drawn: () => app.drawn,
    parts: (body, ghost = false) => app.view.readBack(body, ghost),
    arrows: (layer) => app.view.readArrows(layer),
    contacts: () => app.view.readContacts(),
    layers: () => Object.fromEntries(app.view.layers.map((layer) => [layer.key, layer.shown])),
    plots: () => app.plots.map((plot) => ({ title: plot.title, curves: plot.curveCount, cursor: plot.timeOfCursor, logarithmic: plot.logarithmic, labels: plot.labels })),
    mode: () => app.mode,
    follow: () => app.view.follow,
    traces: () => app.view.traces.list.length,
    corners: () => app.view.corners(),
    letters: () => app.view.stage.readLetters(),
    camera: () => app.view.stage.camera.position.toArray(),
    calls: () => app.view.stage.renderer.info.render.calls,
    frames: () => app.run.times.length,
  };
  (window as unknown as { cartan: Hook }).cartan = hook;
}
