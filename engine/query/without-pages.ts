/** The query of a list whose records are given at once: its filters, without pages and without a choice of parts. */
import type { Catalog } from '../catalog/catalog.ts'
import { PAGE_PARAMETERS, PROJECTION_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'

const UNFIT: readonly string[] = [...PAGE_PARAMETERS, ...PROJECTION_PARAMETERS]

/** Leaves those parameters out; refuses them with `sentence` (422) where unknown parameters are refused and they have a value. */
export function withoutPages(
  { strictness }: Pick<Catalog, 'strictness'>,
  query: Iterable<readonly [string, string]>,
  sentence: string,
): readonly (readonly [string, string])[] {
  const given = [...query]
  const unfit = given.filter(([name, value]) => UNFIT.includes(name) && value !== '')
  if (unfit.length > 0 && strictness.unknownParameters === 'refuse')
    throw invalid(Object.fromEntries(unfit.map(([name]) => [name, [sentence]])))
  return given.filter(([name]) => !UNFIT.includes(name))
}
