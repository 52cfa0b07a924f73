import { pageText } from './markdown.ts'

/** The megabytes that the row of README's table of sizes says which begins with these words. */
export function saidSize(what: string): number {
  const row = pageText('README.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${what}`))
  return Number(/([\d.]+) MB \|$/.exec(row ?? '')?.[1])
}

/** Dependencies get new versions: a tenth more or less is still what README says. */
export const isNear = (said: number, measured: number) => Math.abs(said - measured) <= measured / 10
