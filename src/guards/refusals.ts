import type { Guard } from './guard.ts'

/** Events that the service refuses in mid-run: delivery finds them, and pauses. Nothing can be known of them before. */
export const REFUSALS: Guard = {
  codes: {
    refusals: {
      level: 'error',
      restsOn: 'project',
      means:
        'PostHog refused the last events and took none between: an import pauses in mid-run, with exit code 5',
      remedy:
        'check the project, the key and what stands between, such as a proxy; then run the same command again',
      accepted: 'refused events are rejects at once',
    },
  },
  look: () => [],
}
