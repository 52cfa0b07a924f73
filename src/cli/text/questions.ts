import type { MigrationPlan } from '../../checks/migration-plan.ts'
import type { CheckResult } from '../../jobs/results.ts'
import { fold } from '../../text/fold.ts'

/** What only the project's settings answer, since no key reads them: by a name for scripts. */
export function questionsOf({ span: days }: MigrationPlan): CheckResult['questions'] {
  const oldest = days === undefined ? '' : ` The oldest event here is of ${days.first}.`
  return {
    drop_events_older_than: `Does it drop old events? With drop_events_older_than it answers as if it took them, and they are gone, historical ones too.${oldest}`,
    paid_plan: 'Is it in the US or EU cloud, on a paid product analytics plan? Only then is the import free.',
  }
}

/** The same for a person. The plan is among the prerequisites. */
export function questionLines(plan: MigrationPlan): string[] {
  return [
    'No key can read this setting of your project, so look yourself:',
    ...fold(questionsOf(plan).drop_events_older_than, '  ', '- '),
  ]
}
