import './style.css';
import { App } from './app';
import { DataProblem, loadDocument } from './data';
import { h } from './dom';
import { install } from './hook';

function complain(text: string): void {
  document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.title = 'Cartan';
  document.body.append(h('div', { class: 'message', role: 'alert' }, h('div', {}, h('h1', {}, 'Nothing to show'), h('p', {}, text))));
}

const options = new URLSearchParams(location.hash.slice(1));
loadDocument()
  .then((data) => install(new App(data, options)))
  .catch((error) => {
    const sentence = error instanceof DataProblem ? error.message : `The viewer failed: ${error instanceof Error ? error.message : error}`;
    complain(sentence);
    if (options.has('record')) void fetch('record/end', { method: 'POST', body: sentence });
    else if (!(error instanceof DataProblem)) console.error(error);
  });
