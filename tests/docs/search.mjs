// The site in headless Chromium, opened as files: search finds a word, formulas are typeset, no host is asked.
// usage: node search.mjs SITE PAGE WORD EXPECTED_PAGE
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
