// Pictures for a film, one by one to the server that started this browser (cartan view --record).
import type { Player } from './player';
import type { View } from './scene/view';

const width = 960;
const height = 540;

async function post(path: string, body: Blob | string): Promise<void> {
  const response = await fetch(path, { method: 'POST', body });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

function caption(context: CanvasRenderingContext2D, title: string, t: number, dark: boolean): void {
  context.fillStyle = dark ? '#e6eaee' : '#1d2329';
  context.font = '600 20px system-ui, "Liberation Sans", sans-serif';
  context.fillText(title, 20, 34);
  context.font = '16px system-ui, "Liberation Sans", sans-serif';
  context.fillText(`t = ${t.toFixed(2)} s`, 20, 58);
}

export async function record(view: View, player: Player, rate: number, speed: number, dark: boolean): Promise<void> {
  try {
    view.stage.renderer.setPixelRatio(1);
    view.stage.renderer.setSize(width, height, false);
    view.stage.camera.aspect = width / height;
    view.stage.camera.updateProjectionMatrix();
    view.resolution.set(width, height);
    player.set(player.begin);
    view.home();
    const sheet = document.createElement('canvas');
    Object.assign(sheet, { width, height });
    const context = sheet.getContext('2d')!;
    const count = Math.max(1, Math.floor((player.duration / speed) * rate) + 1);
    for (let k = 0; k < count; ++k) {
      const t = Math.min(player.end, player.begin + (k * speed) / rate);
      view.setTime(t);
      view.render();
      context.drawImage(view.stage.canvas, 0, 0, width, height);
      caption(context, view.run.model.name || view.run.label, t, dark);
      const picture = await new Promise<Blob | null>((resolve) => sheet.toBlob(resolve, 'image/png'));
      if (!picture) throw new Error('the browser gave no picture');
      await post(`record/picture?of=${count}`, picture);
    }
    await post('record/end', '');
  } catch (error) {
    await post('record/end', `the browser failed: ${error instanceof Error ? error.message : error}`);
  }
}
