import type { Guard } from './guard.ts'

/** Events that the service refuses in mid-run: delivery finds them, and pauses. Nothing can be known of them before. */
export const REFUSALS: Guard = {
  restsOn: 'project',
  codes: {
    refusals: {
      level: 'error',
      means: 'PostHog refused the last events and took none between; the import paused (5)',
      remedy:
        'check the project, the key and what stands between, such as a proxy; then run the same command again',
      accepted: 'refused events are rejects at once',
    },
  },
  look: () => [],
}
