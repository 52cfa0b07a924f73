import { PosthaulError } from '../../errors.ts'
import { Secret } from '../../http/index.ts'
import { readSecret } from '../../options/index.ts'
import { fileError, readWhole } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'
import type { CredentialsFrom } from '../vendor-source.ts'

/** How an engine's address is written. */
export interface UrlForm {
  /** `Postgres`. */
  readonly engine: string
  /** `POSTGRES_URL`. */
  readonly variable: string
  /** `postgres://user:password@host:5432/database`. */
  readonly form: string
  /** `postgres:`, and other names of it. */
  readonly protocols: readonly string[]
  /** Parameters that are known. */
  readonly parameters: readonly string[]
}

/** The address of a server, as a variable of the environment has it. Messages name its parameters, and nothing else of it. */
export class ServerUrl {
  readonly url: URL
  readonly user: string
  readonly password: Secret | undefined
  /** An address of version 6 without its brackets. */
  readonly host: string
  readonly database: string
  /** What stands after the question mark. */
  readonly given: ReadonlyMap<string, string>
  readonly #form: UrlForm

  /** Code `auth` without an address, `config` for one that can't be read. */
  static async read(form: UrlForm, { env, stdin }: CredentialsFrom): Promise<ServerUrl> {
    const secret = await readSecret({ variable: form.variable }, env, stdin)
    if (secret) return new ServerUrl(form, secret)
    throw new PosthaulError(`no credentials for ${form.engine}`, {
      code: 'auth',
      hint: `set ${form.variable} to ${form.form}`,
    })
  }

  private constructor(form: UrlForm, secret: Secret) {
    this.#form = form
    // URLs have no user without a host, but an address of a unix socket may.
    const text = secret.reveal().replace('@/', '@localhost/')
    if (!URL.canParse(text)) throw this.wrong('can not be read')
    this.url = new URL(text)
    if (!form.protocols.includes(this.url.protocol)) throw this.wrong(`begins with ${this.url.protocol}//`)
    this.user = this.#decoded(this.url.username)
    const password = this.#decoded(this.url.password)
    this.password = password === '' ? undefined : new Secret(password, secret.from)
    this.host = this.#decoded(this.url.hostname.replace(/^\[(.*)\]$/, '$1'))
    this.database = this.#decoded(this.url.pathname.slice(1))
    // A sign of the password has ended the part with the login too early, or begun another.
    const { username, password: word, hash } = this.url
    const isCut = username === '' && word === '' && text.includes('@')
    if (isCut || hash !== '' || /[@:/]/.test(this.database)) throw this.wrong('can not be read')
    this.given = new Map(this.url.searchParams)
    for (const name of this.given.keys()) {
      if (form.parameters.includes(name)) continue
      throw this.wrong(`has the parameter ${name}`, `leave it out: known are ${form.parameters.join(', ')}`)
    }
  }

  /** The content of the file that a parameter names, of a certificate or its key. */
  async file(parameter: string): Promise<Buffer | undefined> {
    const path = this.given.get(parameter)
    if (path === undefined) return undefined
    try {
      return await readWhole(path, { mostBytes: MIB })
    } catch (cause) {
      throw fileError(cause, 'read', `${path} (${parameter} of ${this.#form.variable})`)
    }
  }

  wrong(what: string, hint?: string): PosthaulError {
    const { variable, form } = this.#form
    return new PosthaulError(`${variable} ${what}`, {
      code: 'config',
      hint: hint ?? `write ${form}; in a password %40 for @, %2F for /, %3F for ?, %23 for #, %25 for %`,
    })
  }

  #decoded(text: string): string {
    try {
      return decodeURIComponent(text)
    } catch {
      throw this.wrong('has a % that stands for no character', 'write %25 for a percent sign')
    }
  }
}
