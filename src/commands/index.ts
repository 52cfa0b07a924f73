import type { AnyCommand, CommandGroup } from './command.ts'

interface Listed {
  /** What it is for: help lists the commands of a group together. */
  readonly group: 'carry' | 'prove' | 'rehearse' | 'operate' | 'PostHog' | 'more'
  readonly summary: string
  readonly load: () => Promise<{ readonly command: AnyCommand | CommandGroup }>
  /** It describes all commands, which must have declared their options. */
  readonly describesAll?: true
}

// A command's module is imported only when it is run: `posthaul --help` stays as fast as node itself.
export const COMMANDS: Readonly<Record<string, Listed>> = {
  export: {
    group: 'carry',
    summary: "fetch a vendor's history into a raw dataset",
    load: () => import('./export/index.ts'),
  },
  init: {
    group: 'carry',
    summary: 'look at your data, and write a first mapping file for it',
    load: () => import('./init/index.ts'),
  },
  transform: {
    group: 'carry',
    summary: 'turn records into validated events, a file a UTC day',
    load: () => import('./transform/index.ts'),
  },
  import: {
    group: 'carry',
    summary: 'send events to PostHog, resumably, under the caps',
    load: () => import('./import/index.ts'),
  },
  check: {
    group: 'prove',
    summary: 'what an import will do: volume, time, problems, approval',
    load: () => import('./check/index.ts'),
  },
  verify: {
    group: 'prove',
    summary: 'prove that these very events arrived in PostHog',
    load: () => import('./verify/index.ts'),
  },
  report: {
    group: 'prove',
    summary: 'write one HTML file of what was moved and whether it arrived',
    load: () => import('./report/index.ts'),
  },
  undo: {
    group: 'prove',
    summary: 'count what an import brought, and ask to delete it',
    load: () => import('./undo/index.ts'),
  },
  demo: {
    group: 'rehearse',
    summary: 'run a whole migration on sample data, against a sandbox',
    load: () => import('./demo/index.ts'),
  },
  sandbox: {
    group: 'rehearse',
    summary: 'run a local stand-in for PostHog, for rehearsals',
    load: () => import('./sandbox/index.ts'),
  },
  studio: {
    group: 'rehearse',
    summary: 'get a mapping right on a local page, on a sample of records',
    load: () => import('./studio/index.ts'),
  },
  explain: {
    group: 'rehearse',
    summary: 'one record beside its event, and the rule for each member',
    load: () => import('./explain/index.ts'),
  },
  test: {
    group: 'rehearse',
    summary: 'run the tests of a mapping file: what its records become',
    load: () => import('./test/index.ts'),
  },
  preset: {
    group: 'rehearse',
    summary: 'test a preset, your own too, against its fixtures',
    load: () => import('./preset/index.ts'),
  },
  run: {
    group: 'operate',
    summary: 'carry out a whole migration, unattended, as its file says',
    load: () => import('./run/index.ts'),
  },
  status: {
    group: 'operate',
    summary: 'how far an import is, from its checkpoint',
    load: () => import('./status/index.ts'),
  },
  doctor: {
    group: 'operate',
    summary: 'whether all is ready: machine, keys, project, vendor, stores',
    load: () => import('./doctor/index.ts'),
  },
  groups: {
    group: 'PostHog',
    summary: "read a project's groups, and move them",
    load: () => import('./groups/index.ts'),
  },
  projects: {
    group: 'PostHog',
    summary: 'list the projects that a key may see',
    load: () => import('./projects/index.ts'),
  },
  completion: {
    group: 'more',
    summary: 'print a script that completes commands in your shell',
    load: () => import('./completion/index.ts'),
    describesAll: true,
  },
}
