import type { AnyCommand, CommandGroup } from './command.ts'

interface Listed {
  readonly summary: string
  readonly load: () => Promise<{ readonly command: AnyCommand | CommandGroup }>
  /** It describes all commands, which must have declared their options. */
  readonly describesAll?: true
}

// A command's module is imported only when it is run: `posthaul --help` stays as fast as node itself.
export const COMMANDS: Readonly<Record<string, Listed>> = {
  export: {
    summary: "fetch a vendor's history into a raw dataset, a window at a time",
    load: () => import('./export/index.ts'),
  },
  init: {
    summary: 'look at your data, and write a first mapping file for it',
    load: () => import('./init/index.ts'),
  },
  transform: {
    summary: 'turn exported records into validated events, one file per UTC day',
    load: () => import('./transform/index.ts'),
  },
  studio: {
    summary: 'get a mapping right on a page of this machine, on a sample of the records',
    load: () => import('./studio/index.ts'),
  },
  explain: {
    summary: 'one record beside its event, and the rule for each of its members',
    load: () => import('./explain/index.ts'),
  },
  test: {
    summary: 'run the tests of a mapping file: what its records become',
    load: () => import('./test/index.ts'),
  },
  preset: {
    summary: 'test a preset, one of your own too, against its fixtures',
    load: () => import('./preset/index.ts'),
  },
  import: {
    summary: 'send events to the service, resumably, under the caps',
    load: () => import('./import/index.ts'),
  },
  status: {
    summary: 'how far an import is, from its checkpoint',
    load: () => import('./status/index.ts'),
  },
  check: {
    summary: 'what an import will do: volume, time, problems, the request for approval',
    load: () => import('./check/index.ts'),
  },
  verify: {
    summary: 'prove that the very events arrived in the service',
    load: () => import('./verify/index.ts'),
  },
  undo: {
    summary: 'take an import back: count it, and ask to delete it',
    load: () => import('./undo/index.ts'),
  },
  report: {
    summary: 'write one HTML file that shows what was moved, and whether it arrived',
    load: () => import('./report/index.ts'),
  },
  run: {
    summary: 'carry a whole migration out, unattended, as its file says',
    load: () => import('./run/index.ts'),
  },
  doctor: {
    summary: 'whether all is ready: machine, keys, project, vendor, stores',
    load: () => import('./doctor/index.ts'),
  },
  groups: {
    summary: "read a project's groups, and move them",
    load: () => import('./groups/index.ts'),
  },
  projects: {
    summary: 'list the projects a key may see',
    load: () => import('./projects/index.ts'),
  },
  sandbox: {
    summary: 'run a local stand-in for the service, for rehearsals',
    load: () => import('./sandbox/index.ts'),
  },
  demo: {
    summary: 'run a whole migration on sample data, against a sandbox',
    load: () => import('./demo/index.ts'),
  },
  completion: {
    summary: 'print a script by which your shell completes commands and options',
    load: () => import('./completion/index.ts'),
    describesAll: true,
  },
}
