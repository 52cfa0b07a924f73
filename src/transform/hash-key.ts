import { PosthaulError } from '../errors.ts'
import type { RecordRules } from '../pipeline/engine.ts'

/** A key as the command reads it; see http/secret.ts. */
export interface HashKeySecret {
  readonly from: string
  reveal(): string
  fingerprint(): string
}

/** The variable that holds the key of `properties.hash`. */
export const HASH_KEY = 'POSTHAUL_HASH_KEY'

/** Whoever has a short key can find out which address a hash is of by trying all addresses. */
const LEAST_CHARACTERS = 16

/** The key for a job's hashes, from the environment. Code `config` if there is none, or a short one. */
export function hashKeyFrom(secret: HashKeySecret | undefined): NonNullable<RecordRules['hashKey']> {
  const hint = `make one with openssl rand -hex 32, keep it, and give it in ${HASH_KEY} or ${HASH_KEY}_FILE`
  if (secret === undefined) {
    throw new PosthaulError(`properties.hash in the mapping file needs a key, and ${HASH_KEY} is not set`, {
      code: 'config',
      hint,
    })
  }
  if (secret.reveal().length < LEAST_CHARACTERS) {
    throw new PosthaulError(`the key in ${secret.from} has less than ${LEAST_CHARACTERS} characters`, {
      code: 'config',
      hint,
    })
  }
  return { text: secret.reveal(), fingerprint: secret.fingerprint() }
}

/**
 * Refuses to go on with another key, by fingerprints: the same person would have one hash in what is there, and perhaps
 * was sent, and another in what comes.
 */
export function assertSameHashKey(place: string, before: string | undefined, now: string | undefined): void {
  if (before === undefined || now === undefined || before === now) return
  throw new PosthaulError(`${place} was made with another ${HASH_KEY} (its fingerprint is ${before})`, {
    code: 'input',
    hint: 'give the key it was made with; for other hashes choose another --out, and send none of the old events',
  })
}
