import { z } from 'zod'
import type { SandboxContext } from '../context.ts'
import { ApiError, invalid } from '../routes/api-error.ts'
import { tagList } from './shelf.ts'

/** Fields of definitions that a build without the paid parts does not have. */
const PAID = ['description', 'verified', 'hidden', 'owner'] as const

export const DESCRIBED = z.object({
  description: z.string().trim().nullable().optional(),
  tags: tagList.optional(),
  verified: z.boolean().optional(),
  hidden: z.boolean().optional(),
  owner: z.int().nullable().optional(),
})

export type Fields = Readonly<Record<string, unknown>>

/** What people wrote of definitions, by the id of each. A restart forgets it. */
export class Descriptions {
  readonly #deployment: SandboxContext['dialect']['deployment']
  readonly #written = new Map<string, Fields>()

  constructor({ dialect }: SandboxContext) {
    this.#deployment = dialect.deployment
  }

  /** What a definition shows besides its name and what its events tell. */
  of(id: string): Fields {
    const written = this.#written.get(id) ?? {}
    if (this.#deployment !== 'cloud') return { tags: [], ...written }
    return { description: null, tags: [], verified: false, hidden: false, owner: null, ...written }
  }

  /** Writes fields of an event's definition, as far as the build has them. */
  write(id: string, fields: Fields): void {
    this.#set(id, this.#deployment === 'cloud' ? fields : this.#withoutPaid(fields))
  }

  /** Writes fields of a property's definition: the type alone, or others where the plan has them. */
  writeProperty(id: string, { property_type, ...fields }: Fields): void {
    if (Object.keys(fields).length > 0 && this.#deployment !== 'cloud')
      throw new ApiError(402, {
        type: 'server_error',
        code: 'payment_required',
        detail: 'This feature is part of the premium PostHog offering.',
      })
    this.#set(id, { ...fields, ...(property_type !== undefined && { property_type }) })
  }

  #withoutPaid(fields: Fields): Fields {
    const paid = PAID.filter((name) => name in fields)
    if (paid.length > 0 && this.#deployment === 'oss')
      throw invalid(`${paid[0]} is not supported by this deployment.`, paid[0])
    const { tags, ...rest } = fields
    const free = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !PAID.some((one) => one === name)),
    )
    // An older server drops tags that the plan does not have, too.
    return { ...free, ...(tags !== undefined && this.#deployment === 'oss' && { tags }) }
  }

  #set(id: string, fields: Fields): void {
    if (fields.verified === true && fields.hidden === true)
      throw invalid('A definition can not be both hidden and verified.', 'hidden')
    const opposite = {
      ...(fields.verified === true && { hidden: false }),
      ...(fields.hidden === true && { verified: false }),
    }
    this.#written.set(id, { ...this.#written.get(id), ...fields, ...opposite })
  }

  forget(id: string): void {
    this.#written.delete(id)
  }
}
