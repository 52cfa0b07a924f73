import { type Command, Option } from 'commander'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { folded } from '../../report/fold.ts'
import { groupsExportSummary, pageReporter } from '../../report/groups-export.ts'
import type { Groups, GroupType } from '../../service/groups.ts'
import { exportGroups, type Via } from '../../sources/groups/export.ts'
import { addEndpointFlag, placed } from '../endpoint-flag.ts'
import { addApiFlags, addKeyHelp } from '../service-flags.ts'
import { chooseType } from './choose-type.ts'
import { withGroups } from './with-groups.ts'

interface Options {
  readonly type?: string
  readonly allTypes?: boolean
  readonly out: string
  readonly endpoint?: string
  readonly via?: Via
  readonly gzip?: boolean
  readonly bigIntegers: 'keep' | 'string'
  readonly json?: boolean
}

/** The service gives a project this many group types and ignores groups of any other. */
const MAX_TYPES = 5

/** `groups export`: groups as a dataset of events that `import` takes. */
export function configureExport(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = addEndpointFlag(parent.command('export'))
    .description('write groups as a dataset of group events, which import takes as it is')
    .option('--type <type>', "a type's index or name")
    .option('--all-types', 'the groups of every type')
    .requiredOption('--out <store>', 'where the dataset goes: a folder or s3://bucket/prefix')
    .addOption(
      new Option(
        '--via <way>',
        'read by the list or by the query endpoint; by default the key decides',
      ).choices(['rest', 'query']),
    )
    .addOption(
      new Option('--big-integers <choice>', 'integers over 2^53, which the service rounds')
        .choices(['keep', 'string'])
        .default('keep'),
    )
    .option('--gzip', 'compress the parts')
    .option('--json', 'print the summary as one JSON object on stdout')
  addKeyHelp(command, 'group:read (--via query: query:read too)')
  addApiFlags(command).action(async (options: Options) => exit(await run(options, io)))
}

async function run(options: Options, io: Io): Promise<ExitCode> {
  if ((options.type === undefined) === !options.allTypes) {
    throw new PosthaulError('say which groups: either --type or --all-types', { code: 'usage' })
  }
  return withGroups({ ...options }, io, async (groups) => {
    const types = await chosenTypes(groups, options)
    if (types.length > MAX_TYPES) {
      io.stderr.write(
        folded(
          `${types.length} group types: the service takes ${MAX_TYPES} a project and ignores groups of the others`,
          '  ',
          'posthaul: ',
        ),
      )
    }
    const report = pageReporter(io.stderr)
    const { out, via, gzip = false } = options
    const manifest = await exportGroups(groups, {
      types,
      out: placed(out, options),
      via,
      gzip,
      bigIntegersAsStrings: options.bigIntegers === 'string',
      now: Date.now() * 1000,
      onPage: (type, total) => report(type.name, total),
    })
    const { counts, days, rejects, mends, big_integers } = manifest
    io.stderr.write(groupsExportSummary(out, manifest))
    if (options.json) {
      const summary = {
        version: 1,
        command: 'groups export',
        out,
        counts,
        days,
        rejects,
        mends,
        big_integers,
      }
      io.stdout.write(`${JSON.stringify(summary)}\n`)
    }
    return counts.rejected > 0 ? EXIT.rejects : EXIT.done
  })
}

async function chosenTypes(groups: Groups, { type }: Options): Promise<readonly GroupType[]> {
  if (type !== undefined) return [await chooseType(groups, type)]
  const types = await groups.types()
  if (types.length > 0) return types
  throw new PosthaulError('this project has no group types, so there is nothing to export', { code: 'input' })
}
