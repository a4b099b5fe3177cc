/** Texts of macros: Liquid over the record as its reader sees it, within bounds of work, and checked before they are kept. */
import { ApiError, type Json, type Resource } from '../../engine/index.ts'

/** A macro is run inside a request: what its author writes must not hold a process up. */
const BOUNDS = { parseLimit: 20_000, renderLimit: 100, memoryLimit: 1_000_000 }

/** Tags that would read other templates; there are none, and files are nobody's to read. */
const READING = ['include', 'render', 'layout', 'block'] as const

const load = async () => {
  const { Liquid, LiquidError } = await import('liquidjs')
  const liquid = new Liquid({ strictFilters: true, ownPropertyOnly: true, templates: {}, ...BOUNDS })
  for (const tag of READING) delete liquid.tags[tag]
  return { liquid, LiquidError }
}

let loaded: ReturnType<typeof load> | undefined

function engine(): ReturnType<typeof load> {
  loaded ??= load()
  return loaded
}

/** Texts in a value with their places, `comments.comment`. */
export function* textsIn(value: Json, place = ''): Generator<readonly [place: string, text: string]> {
  if (typeof value === 'string') yield [place, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value))
    yield* textsIn(child ?? null, place === '' ? key : `${place}.${key}`)
}

/** What is wrong with a template over records of the resource; undefined when nothing is. */
export async function templateFault(text: string, resource: Resource): Promise<string | undefined> {
  const { liquid, LiquidError } = await engine()
  try {
    const unknown = liquid
      .globalVariableSegmentsSync(text)
      .find(([root, next]) => !isKnown(resource, String(root), next === undefined ? undefined : String(next)))
    return unknown === undefined ? undefined : `names "${unknown.join('.')}", which records do not have`
  } catch (error) {
    if (error instanceof LiquidError) return `is no template: ${error.message}`
    throw error
  }
}

/** What a template may name of whoever applies the macro. */
export const ACTOR = ['id', 'name', 'first_name', 'last_name', 'email'] as const

function isKnown({ fields, relations }: Resource, root: string, next: string | undefined): boolean {
  if (root === 'actor') return next === undefined || ACTOR.some((name) => name === next)
  const field = fields.get(root)
  if (field !== undefined) return field.type.hidden !== true && field.show !== 'never'
  const relation = relations.get(root)
  if (relation?.embed === undefined) return false
  return next === undefined || relation.kind !== 'belongs_to' || relation.embed.some(({ name }) => name === next)
}

/** The value with its texts filled in; throws conflict where a text can't be. */
export async function rendered(value: Json, data: object): Promise<Json> {
  if (typeof value === 'string') return /\{[{%]/.test(value) ? filled(value, data) : value
  if (Array.isArray(value)) return Promise.all(value.map((one) => rendered(one, data)))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(async ([key, child]) => [key, await rendered(child ?? null, data)] as const)
  return Object.fromEntries(await Promise.all(parts))
}

async function filled(text: string, data: object): Promise<string> {
  const { liquid, LiquidError } = await engine()
  try {
    return String(liquid.parseAndRenderSync(text, data))
  } catch (error) {
    if (!(error instanceof LiquidError)) throw error
    throw new ApiError('conflict', { message: `A text of the macro can not be filled in: ${error.message}` })
  }
}
