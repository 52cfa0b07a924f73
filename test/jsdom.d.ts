/** What the tests use of jsdom. Its own types would bring those of browsers into every file. */
declare module 'jsdom' {
  export interface JsdomOptions {
    readonly url: string
    readonly runScripts: 'dangerously'
    readonly resources: 'usable'
    readonly pretendToBeVisual: true
    readonly virtualConsole: VirtualConsole
  }
  export class VirtualConsole {
    on(event: 'jsdomError', listener: (error: Error) => void): this
  }
  export class JSDOM {
    constructor(html: string, options: JsdomOptions)
    readonly window: {
      readonly navigator: object
      readonly document: { querySelector(selector: string): { click(): void } | null }
      close(): void
      eval(script: string): unknown
    }
  }
}
