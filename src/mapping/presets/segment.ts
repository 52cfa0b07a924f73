import { specPreset } from './segment-spec.ts'

/** Segment's S3 logs and warehouse-bound files: gzipped JSON lines, one call a line. */
export const segment = specPreset({
  vendor: 'segment',
  rules: 1,
  namespace: '706f7374-6861-756c-5f73-65676d656e74', // the 16 bytes "posthaul_segment"
  recognises: [
    ['type', 'timestamp', 'messageId'],
    ['type', 'timestamp', 'anonymousId'],
    ['type', 'timestamp', 'userId'],
  ],
})
