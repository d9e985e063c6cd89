// Names of the bodies beside them, as text over the picture.
import { Camera, Vector3 } from 'three';
import { h } from '../dom';
import type { Poses } from './poses';

const point = new Vector3();

export class Labels {
  readonly element = h('div', { class: 'labels' });
  private readonly items: { text: HTMLElement; com: Vector3 }[];

  constructor(private readonly poses: Poses) {
    this.items = (poses.run.model.bodies ?? []).map((body) => {
      const text = h('span', {}, body.name);
      this.element.append(text);
      return { text, com: new Vector3(...body.com) };
    });
    this.element.hidden = true;
  }

  update(camera: Camera, width: number, height: number): void {
    if (this.element.hidden) return;
    this.items.forEach(({ text, com }, k) => {
      point.copy(com).applyMatrix4(this.poses.of(k)).project(camera);
      text.hidden = point.z > 1;
      const x = ((point.x + 1) / 2) * width;
      const y = ((1 - point.y) / 2) * height;
      text.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -130%)`;
    });
  }
}
