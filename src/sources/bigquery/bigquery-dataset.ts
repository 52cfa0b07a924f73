/** A dataset, and the project that has it. */
export interface Dataset {
  readonly project: string
  readonly name: string
}

/** Reads `my-project.analytics_1`, or a dataset of the project of another. RangeError for what is neither. */
export function datasetIn(text: string, project?: string): Dataset {
  const [, of = project, name] = /^(?:(.+)[.:])?(\w+)$/.exec(text) ?? []
  if (of !== undefined && name !== undefined) return { project: of, name }
  throw new RangeError('expected a project and a dataset, such as my-project.analytics_123456')
}

/** As a user writes it: `my-project.analytics_1`. */
export function datasetName({ project, name }: Dataset): string {
  return `${project}.${name}`
}

/** Its path in the API. */
export function datasetPath({ project, name }: Dataset): string {
  return `projects/${encodeURIComponent(project)}/datasets/${encodeURIComponent(name)}`
}
