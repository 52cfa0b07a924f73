import { Argument, type Command } from 'commander'
import { DIFF_ROWS, PULL_ROWS, PUSH_ROWS } from '../jobs/index.ts'
import { useOptions } from '../options/index.ts'
import type { CommandModule } from './command.ts'
import { useReported } from './reported.ts'

const HELP = `
What a team wrote around its events, as plain files that a person reads, edits
and keeps in git: descriptions and tags of events and properties, annotations,
cohorts with their members, reports, dashboards.

Examples:
  posthaul around pull mixpanel --out around/
  posthaul around diff around/ --map mapping.yaml
  posthaul around push around/ --map mapping.yaml`

const FOLDER = 'a folder of such files'

const PULL_HELP = `
<vendor> is mixpanel, amplitude or posthog; keys as for export. A key of PostHog
needs event_definition:read, property_definition:read, annotation:read,
cohort:read, person:read, insight:read, dashboard:read and group:read.
A run that is cut short goes on; what is whole is not fetched again.`

const DIFF_HELP = `
Writes nothing. Needs POSTHOG_PERSONAL_API_KEY, with event_definition:read,
property_definition:read, annotation:read, cohort:read, insight:read,
dashboard:read, group:read and project:read.
The exit code is 3 where people wrote other words in PostHog, or took something
away.`

const PUSH_HELP = `
Run it again at any time: a second push of the same folder does nothing. Words
that people wrote in PostHog since stay, unless --overwrite says otherwise.
Events need not be there yet; properties and the members of cohorts come with an
import. All that is made has the tag posthaul, where it can have one.

Needs POSTHOG_PERSONAL_API_KEY with the scopes of diff, and :write of
event_definition, property_definition, annotation, cohort, insight, dashboard.
What no API makes again is listed in by-hand.md of the folder.`

/** `around`: what lies around the events, from a vendor or another PostHog to PostHog. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', HELP)
  const pull = below(command, 'pull', 'fetch them into a folder', PULL_HELP)
  pull.addArgument(new Argument('<vendor>').choices(['mixpanel', 'amplitude', 'posthog']))
  useReported(pull, PULL_ROWS, { io, exit }, async ({ values }, [vendor = '']) =>
    (await import('./around/acts.ts')).pull(vendor, values, io),
  )
  const diff = below(command, 'diff', 'what the project lacks, or has in other words', DIFF_HELP)
  diff.argument('<folder>', FOLDER)
  useOptions(diff, DIFF_ROWS, io.env, async (options, [folder = '']) =>
    exit(await (await import('./around/acts.ts')).diff(folder, options, io)),
  )
  const push = below(command, 'push', 'bring a folder into the project', PUSH_HELP)
  push.argument('<folder>', FOLDER)
  useReported(push, PUSH_ROWS, { io, exit }, async (options, [folder = '']) =>
    (await import('./around/acts.ts')).push(folder, options, io),
  )
}

function below(parent: Command, name: string, description: string, help: string): Command {
  return parent.command(name).description(description).addHelpText('after', help)
}
