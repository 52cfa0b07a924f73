import type { AnyCommand, CommandGroup } from './command.ts'

// A command's module is imported only when it is run: `posthaul --help` stays as fast as node itself.
type Load = () => Promise<{ readonly command: AnyCommand | CommandGroup }>
type Group = 'carry' | 'prove' | 'rehearse' | 'operate' | 'PostHog' | 'more'

/** The commands by what they are for, as help lists them together, each with its summary. */
const GROUPS: Readonly<Record<Group, Readonly<Record<string, readonly [summary: string, load: Load]>>>> = {
  carry: {
    export: ["fetch a vendor's history into a raw dataset", () => import('./export/index.ts')],
    init: ['look at your data, and write a first mapping file for it', () => import('./init/index.ts')],
    transform: ['turn records into validated events, a file a UTC day', () => import('./transform/index.ts')],
    import: ['send events to PostHog, resumably, under the caps', () => import('./import/index.ts')],
  },
  prove: {
    check: ['what an import will do: volume, time, problems, approval', () => import('./check/index.ts')],
    verify: ['prove that these very events arrived in PostHog', () => import('./verify/index.ts')],
    report: [
      'write one HTML file of what was moved and whether it arrived',
      () => import('./report/index.ts'),
    ],
    undo: ['count what an import brought, and ask to delete it', () => import('./undo/index.ts')],
  },
  rehearse: {
    demo: ['run a whole migration on sample data, against a sandbox', () => import('./demo/index.ts')],
    sandbox: ['run a local stand-in for PostHog, for rehearsals', () => import('./sandbox/index.ts')],
    studio: [
      'get a mapping right on a local page, on a sample of records',
      () => import('./studio/index.ts'),
    ],
    explain: [
      'one record beside its event, and the rule for each member',
      () => import('./explain/index.ts'),
    ],
    test: ['run the tests of a mapping file: what its records become', () => import('./test/index.ts')],
    preset: ['test a preset, your own too, against its fixtures', () => import('./preset/index.ts')],
  },
  operate: {
    run: ['carry out a whole migration, unattended, as its file says', () => import('./run/index.ts')],
    status: ['how far an import is, from its checkpoint', () => import('./status/index.ts')],
    doctor: [
      'whether all is ready: machine, keys, project, vendor, stores',
      () => import('./doctor/index.ts'),
    ],
  },
  PostHog: {
    groups: ["read a project's groups, and move them", () => import('./groups/index.ts')],
    projects: ['list the projects that a key may see', () => import('./projects/index.ts')],
  },
  more: {
    completion: [
      'print a script that completes commands in your shell',
      () => import('./completion/index.ts'),
    ],
  },
}

interface Listed {
  readonly group: Group
  readonly summary: string
  readonly load: Load
}

export const COMMANDS: Readonly<Record<string, Listed>> = Object.fromEntries(
  Object.entries(GROUPS).flatMap(([group, commands]) =>
    Object.entries(commands).map(([name, [summary, load]]) => [
      name,
      { group: group as Group, summary, load },
    ]),
  ),
)
