import { IN } from '../../options/dataset-rows.ts'
import { WAIT } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import {
  INIT_DAYS,
  INIT_SOURCE,
  INIT_STORE,
  RUN_CHANGED,
  RUN_DRY_RUN,
  RUN_FROM,
  RUN_INIT,
  RUN_STOP_AFTER,
  RUN_UNTIL,
} from '../../options/run-rows.ts'
import { HOST, REGION } from '../../options/service-rows.ts'
import { OPTIONAL_API_ROWS } from '../../options/service-settings.ts'
import { PRESET } from '../../options/transform-rows.ts'
import { PRESET_NAMES } from '../../presets/index.ts'
import { VENDORS } from '../../sources/vendors.ts'
import { type Call, describe } from '../command.ts'

/** The vendors that are exported from, or files. */
export const SOURCE = { ...INIT_SOURCE, choices: [...VENDORS.map(({ name }) => name), 'files'] } as const

/** The options that answer what a new migration file needs to know. */
export const INIT_ROWS = [
  SOURCE,
  INIT_DAYS,
  { ...IN, bare: false, help: 'with --init --source files: the files, folders or globs' },
  { ...PRESET, choices: PRESET_NAMES, help: 'with --init --source files: the preset that reads them' },
  INIT_STORE,
  { ...REGION, help: "with --init: region of PostHog's cloud" },
  { ...HOST, help: 'with --init: address of your own installation' },
] as const

export const OPTIONS = [
  RUN_UNTIL,
  RUN_FROM,
  RUN_DRY_RUN,
  RUN_STOP_AFTER,
  RUN_CHANGED,
  { ...WAIT, help: 'if another run of this migration is at work, wait for its end; default: exit 7' },
  JSON_SUMMARY,
  RUN_INIT,
  ...INIT_ROWS,
  ...OPTIONAL_API_ROWS,
] as const

export type RunCall = Call<typeof OPTIONS>

/** `run`: a whole migration by its file. */
export const command = describe({
  argument: ['[file]', 'the migration file, such as migration.yaml'],
  help: `
The file says the whole of a migration: docs/run.md has one with comments.
A run does what is left of export, transform, check, import and verify. What is
done and has not changed is skipped, so the same command goes on after any end.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
