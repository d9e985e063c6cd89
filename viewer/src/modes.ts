// Mode shapes from `cartan linearize --json`: bodies swing about the state that was linearised.
//
//   { "modes": [ { "eigenvalue": [re, im],
//                  "bodies": { NAME: { "linear": [..], "angular": [..] } } } ],
//     "state": { "bodies": { NAME: { "position": [x, y, z], "quaternion": [w, x, y, z] } } } }
//
// linear: displacement of the body's origin, world axes; angular: small rotation vector, body axes; every
// component is [re, im]. Shown is Re(shape e^(i phase)), without growth or decay. Without `state` the
// bodies swing about where the run has them at the present time.
import { Quaternion, Vector3 } from 'three';
import type { Run } from './run';
import type { Displacement } from './scene/poses';
import { toQuaternion } from './scene/poses';

type Complex = [number, number];
interface Shape {
  linear: Complex[];
  angular: Complex[];
}
export interface Mode {
  eigenvalue: Complex;
  shapes: (Shape | null)[]; // by body
  largest: number; // component in metres; of rotations at half the size of the scene
}
interface Pose {
  position: Vector3;
  rotation: Quaternion;
}

const isComplexVector = (value: any): value is Complex[] =>
  Array.isArray(value) && value.length === 3 && value.every((c) => Array.isArray(c) && c.length === 2 && c.every(Number.isFinite));
const zero: Complex[] = [[0, 0], [0, 0], [0, 0]];

// One of each conjugate pair; modes that move no body are left out.
export function readModes(document: any, run: Run, sceneSize: number): Mode[] {
  if (!Array.isArray(document?.modes)) return [];
  const modes: Mode[] = [];
  for (const mode of document.modes) {
    const eigenvalue = mode?.eigenvalue;
    if (!Array.isArray(eigenvalue) || !eigenvalue.every(Number.isFinite) || eigenvalue[1] < 0 || !mode.bodies) continue;
    const shapes = (run.model.bodies ?? []).map((body): Shape | null => {
      const shape = mode.bodies[body.name];
      if (!shape) return null;
      return {
        linear: isComplexVector(shape.linear) ? shape.linear : zero,
        angular: isComplexVector(shape.angular) ? shape.angular : zero,
      };
    });
    let largest = 0;
    const take = (components: Complex[] | undefined, arm: number) => {
      for (const [re, im] of components ?? []) largest = Math.max(largest, arm * Math.hypot(re, im));
    };
    for (const shape of shapes) {
      take(shape?.linear, 1);
      take(shape?.angular, 0.5 * sceneSize);
    }
    if (largest > 0) modes.push({ eigenvalue: eigenvalue as Complex, shapes, largest });
  }
  return modes;
}

// Where the bodies are in the state that was linearised.
export function readReference(document: any, run: Run): (Pose | null)[] {
  return (run.model.bodies ?? []).map((body) => {
    const at = document?.state?.bodies?.[body.name];
    if (!Array.isArray(at?.position) || !Array.isArray(at?.quaternion)) return null;
    return { position: new Vector3(...(at.position as [number, number, number])), rotation: toQuaternion(at.quaternion) };
  });
}

const vector = new Vector3();
const turn = new Quaternion();

// The displacement at a phase (radians); `amplitude`: of the largest component.
export function displacementOf(mode: Mode, reference: (Pose | null)[], amplitude: number, phase: number): Displacement {
  const c = (amplitude * Math.cos(phase)) / mode.largest;
  const s = (amplitude * Math.sin(phase)) / mode.largest;
  const read = (components: Complex[]) =>
    vector.set(...(components.map(([re, im]) => re * c - im * s) as [number, number, number]));
  return (body, position, rotation) => {
    const base = reference[body];
    if (base) {
      position.copy(base.position);
      rotation.copy(base.rotation);
    }
    const shape = mode.shapes[body];
    if (!shape) return;
    position.add(read(shape.linear));
    const angle = read(shape.angular).length();
    if (angle > 0) rotation.multiply(turn.setFromAxisAngle(vector.divideScalar(angle), angle));
  };
}

export function describe({ eigenvalue: [re, im] }: Mode, index: number): string {
  const number = (x: number) => String(Number(x.toPrecision(4)));
  if (re === 0 && im === 0) return `${index + 1}: neutral`;
  if (im === 0) return `${index + 1}: real, ${number(re)} 1/s`;
  const damping = -re / Math.hypot(re, im);
  return `${index + 1}: ${number(im / (2 * Math.PI))} Hz, damping ${number(Math.abs(damping) < 1e-9 ? 0 : damping)}`;
}
