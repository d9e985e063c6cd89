// Colours that stay apart for colour-blind eyes (Okabe and Ito 2008), in the order of charts and reports
// (src/report/chart_pixels.cpp): the potential energy is vermilion here and there.
export const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];
export const axisColors = ['#d55e00', '#009e73', '#0072b2']; // x y z
export const arrowColors = { reaction: '#d55e00', torque: '#cc79a7', force: '#009e73', weight: '#7f7f7f', cut: '#0072b2', cutMoment: '#e69f00' };
export const contactColors = { sticks: '#d55e00', slips: '#e69f00', impact: '#cc79a7' };
// Of what is recorded in forces.csv, by type; constraints like reactions.
export const forceColors: Record<string, string> = {
  spring: '#009e73', torsion: '#009e73', wrench: '#0072b2', joint: '#0072b2', potential: '#b8a700', friction: '#e69f00', drag: '#56b4e9', tyre: '#009e73',
  distance: '#d55e00', drive: '#cc79a7', coupler: '#cc79a7', 'rolling-disc': '#d55e00', 'knife-edge': '#d55e00',
  'point-on-plane': '#d55e00', contact: '#d55e00', stop: '#d55e00',
};

// On a dark page the darker ones are lifted.
const onDark: Record<string, string> = { '#0072b2': '#4aa3df', '#000000': '#e6eaee' };
export function plotColor(index: number, dark: boolean): string {
  const color = palette[index % palette.length];
  return dark ? onDark[color] ?? color : color;
}

const canvas = document.createElement('canvas').getContext('2d');

// Any CSS colour as #rrggbb; null when the text is none.
export function cssColor(text: string | undefined): string | null {
  if (!text || !canvas || !CSS.supports('color', text)) return null;
  canvas.fillStyle = '#000000';
  canvas.fillStyle = text;
  const result = String(canvas.fillStyle);
  return result.startsWith('#') ? result : null;
}
