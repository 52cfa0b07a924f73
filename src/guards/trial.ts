import { number, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

/** A project with more events of others is in use: nobody tries an import there. */
export const MOST_OTHERS = 100_000

/** Whether a project is one to try an import in. */
export const TRIAL = guardOf({
  restsOn: 'project',
  codes: {
    trial_project: {
      level: 'error',
      means: 'a trial would go to a project that is in use, or holds the whole',
      remedy: 'make a new project for the trial, and set its keys',
    },
  },
  look: ({ trial }, found) => {
    if (!trial) return []
    const { project, whole, others } = trial
    const said = (count: number, text: string) =>
      found('trial_project', {
        count,
        text: `the project ${project} holds ${plural(count, 'event')} ${text}`,
      })
    return [
      whole > 0 && said(whole, 'of the whole, or of another dataset with its $import_job_id'),
      whole === 0 &&
        others > MOST_OTHERS &&
        said(others, `of others; a trial needs a project with at most ${number(MOST_OTHERS)}`),
    ]
  },
})
