/** Where a list lies: a list of its own, or one below a record. */
import type { Named } from './catalog.ts'

export interface Within {
  readonly parent: Named
  readonly id: string
  /** The end of the path, `comments`. */
  readonly end: string
  /** The relation that leads to the parent. */
  readonly relation: string
  readonly actions: readonly string[]
}

/** The path of a list in the API. */
export function listPath({ resource }: Named, within: Within | undefined): string {
  if (within === undefined) return resource.path
  return `${within.parent.resource.path}/${encodeURIComponent(within.id)}/${within.end}`
}

/** The parts of the address of a list. */
export function listParts({ name }: Named, within: Within | undefined): readonly string[] {
  return within === undefined ? [name] : [within.parent.name, within.id, within.end]
}
