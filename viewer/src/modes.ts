// Mode shapes: bodies swing about their place at a chosen time.
//
//   { "modes": [ { "frequency": Hz, "damping": ratio, "eigenvalue": [re, im],
//                  "bodies": { NAME: { "translation": [x, y, z], "rotation": [x, y, z] } } } ] }
//
// translation: of the body's origin, rotation: small rotation vector, both in world axes; a component
// is a number or a complex [re, im]. The motion shown is Re(shape e^(i w t)), without growth or decay.
import { Quaternion, Vector3 } from 'three';
import type { Run } from './run';
import type { Displacement } from './scene/poses';

type Component = number | [number, number];
interface Shape {
  translation: Component[];
  rotation: Component[];
}
export interface Mode {
  frequency: number;
  damping: number;
  eigenvalue: [number, number] | null;
  shapes: (Shape | null)[]; // by body
  largest: number; // metres, or radians times the size of the scene
}

const re = (c: Component) => (typeof c === 'number' ? c : c[0]);
const im = (c: Component) => (typeof c === 'number' ? 0 : c[1]);
const zero: Component[] = [0, 0, 0];

export function readModes(document: any, run: Run): Mode[] {
  if (!document || !Array.isArray(document.modes)) return [];
  return document.modes
    .filter((mode: any) => mode && typeof mode.bodies === 'object' && mode.bodies !== null)
    .map((mode: any): Mode => {
      const shapes = (run.model.bodies ?? []).map((body): Shape | null => {
        const shape = mode.bodies[body.name];
        return shape ? { translation: shape.translation ?? zero, rotation: shape.rotation ?? zero } : null;
      });
      let largest = 0;
      for (const shape of shapes)
        for (const c of [...(shape?.translation ?? []), ...(shape?.rotation ?? [])])
          largest = Math.max(largest, Math.hypot(re(c), im(c)));
      const eigenvalue = Array.isArray(mode.eigenvalue) ? mode.eigenvalue : null;
      const frequency = Number(mode.frequency ?? mode.frequency_hz ?? (eigenvalue ? Math.abs(eigenvalue[1]) / (2 * Math.PI) : 0));
      return { frequency, damping: Number(mode.damping ?? 0), eigenvalue, shapes, largest };
    })
    .filter((mode: Mode) => mode.largest > 0);
}

const vector = new Vector3();
const turn = new Quaternion();

// The displacement at a phase (radians); `amplitude`: of the largest component.
export function displacementOf(mode: Mode, amplitude: number, phase: number): Displacement {
  const c = (amplitude * Math.cos(phase)) / mode.largest;
  const s = (amplitude * Math.sin(phase)) / mode.largest;
  const read = (components: Component[]) =>
    vector.set(...(components.map((x) => re(x) * c - im(x) * s) as [number, number, number]));
  return (body, position, rotation) => {
    const shape = mode.shapes[body];
    if (!shape) return;
    position.add(read(shape.translation));
    const angle = read(shape.rotation).length();
    if (angle > 0) rotation.premultiply(turn.setFromAxisAngle(vector.divideScalar(angle), angle));
  };
}

export function describe(mode: Mode, index: number): string {
  const parts = [`${index + 1}: ${Number(mode.frequency.toPrecision(4))} Hz`];
  if (mode.damping) parts.push(`damping ${Number(mode.damping.toPrecision(3))}`);
  return parts.join(', ');
}
