import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { type Call, type CommandGroup, describe } from '../command.ts'

export const OPTIONS = [
  row({
    flag: '--fixtures <folder>',
    otherwise: 'acme.fixtures beside acme.mjs; those of the package for a built-in preset',
    help: 'the cases: valid/ and invalid/',
  }),
  JSON_SUMMARY,
] as const

export type PresetTestCall = Call<typeof OPTIONS>

/** `preset`: what is there for who writes one. */
export const command: CommandGroup = {
  commands: {
    test: {
      summary: 'hold a preset against its fixtures, and the promises of every preset',
      ...describe({
        argument: ['<preset>', 'the name of a built-in preset, or the path of your own'],
        help: `
Examples:
  posthaul preset test mixpanel
  posthaul preset test ./acme.mjs
  posthaul preset test ./acme.mjs --fixtures cases/

The fixtures of ./acme.mjs lie in ./acme.fixtures: valid/ and invalid/ with one
JSON file a case. docs/presets.md has examples.
The exit code is 3 if a promise is broken.`,
        options: OPTIONS,
        work: () => import('./run.ts'),
      }),
    },
  },
}
