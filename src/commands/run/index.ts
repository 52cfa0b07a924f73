import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

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
