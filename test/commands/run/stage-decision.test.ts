import { expect, test } from 'vitest'
import { decideStage, NOT_WHOLE } from '../../../src/commands/run/stage-decision.ts'

const PRINTS = { settings: 's', mapping: 'm', input: 'i' }
const DONE = { prints: PRINTS, finished: true, exit: 0, output: 'o', serial: 1 }

test.each([
  ['it was never run', undefined, PRINTS, undefined, true, 'not done yet'],
  ['nothing has changed', DONE, PRINTS, 'o', false, 'done'],
  ['its settings are others', DONE, { ...PRINTS, settings: 't' }, 'o', true, 'its settings have changed'],
  [
    'the mapping file is another',
    DONE,
    { ...PRINTS, mapping: 'n' },
    'o',
    true,
    'the mapping file has changed',
  ],
  ['its input is another', DONE, { ...PRINTS, input: 'j' }, 'o', true, 'its input has changed'],
  ['its input is gone, and what it made is whole', DONE, { settings: 's', mapping: 'm' }, 'o', false, 'done'],
  [
    'its input is gone, and what it made too',
    DONE,
    { settings: 's', mapping: 'm' },
    undefined,
    true,
    NOT_WHOLE,
  ],
  ['what it made is gone', DONE, PRINTS, undefined, true, NOT_WHOLE],
  ['what it made is another', DONE, PRINTS, 'p', true, NOT_WHOLE],
  ['it writes no dataset', { ...DONE, output: null }, PRINTS, undefined, false, 'done'],
  ['it made rejects', { ...DONE, exit: 3 }, PRINTS, 'o', false, 'done'],
  ['it was paused', { ...DONE, finished: false, exit: 5 }, PRINTS, 'o', true, 'ended with exit code 5'],
  ['it stopped in time', { ...DONE, finished: false }, PRINTS, 'o', true, 'stopped in time, and goes on'],
])('whether a stage runs: %s', (_, done, prints, output, runs, why) => {
  expect(decideStage('transform', done, prints, output)).toEqual({ runs, why })
})
