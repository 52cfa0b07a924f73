import type { InputSource } from '../../delivery/intake.ts'
import { PosthaulError } from '../../errors.ts'
import type { GuardsOrder } from '../../imports/import-order.ts'
import { plural } from '../../text/words.ts'

/** Refuses a trial that was not called one, and a whole that was. */
export function assertTrialMeant(source: InputSource, { trial: meant }: Pick<GuardsOrder, 'trial'>): void {
  const { trial } = source
  if ((meant === undefined) === (trial === undefined)) return
  if (!trial) {
    throw new PosthaulError(`--trial: ${source.name} is not a trial`, {
      code: 'usage',
      hint: 'make one with posthaul transform --people 500; or leave --trial out to import the whole',
    })
  }
  throw new PosthaulError(
    `${source.name} is a trial, of ${plural(trial.people, 'person', 'people')}: it goes to a new project, and the whole to another`,
    {
      code: 'usage',
      hint: 'set the keys of a project that is there for the trial and add --trial with its name; or import the whole dataset',
    },
  )
}
