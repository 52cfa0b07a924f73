import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { type Call, type CommandGroup, describe } from '../command.ts'

export const OPTIONS = [
  row({
    flag: '--fixtures <folder>',
    otherwise: 'acme.fixtures beside acme.mjs',
    help: 'the cases: valid/ and invalid/',
  }),
  JSON_SUMMARY,
] as const

export type PresetTestCall = Call<typeof OPTIONS>

/** `preset`: what is there for who writes one. */
export const command: CommandGroup = {
  commands: {
    test: {
      summary: 'hold a preset against its fixtures',
      ...describe({
        argument: ['<preset>', 'the path of your preset'],
        help: `
Examples:
  posthaul preset test ./acme.mjs
  posthaul preset test ./acme.mjs --fixtures cases/

The fixtures of ./acme.mjs lie in ./acme.fixtures: valid/ and invalid/ with one
JSON file a case. docs/presets.md has examples.
The exit code is 3 if a case becomes something else than it says.`,
        options: OPTIONS,
        work: () => import('./run.ts'),
      }),
    },
  },
}
