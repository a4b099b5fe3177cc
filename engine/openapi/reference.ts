/**
 * References of a document: resolves those of routes to resources (`#/resources/users`), and finds the components in
 * use.
 */
import { recordReference } from '../http/route.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { mapChildren } from './schema.ts'
import type { TypeNames } from './type-name.ts'

const COMPONENT = /^#\/components\/(\w+)\/([\w.-]+)$/

/** Replaces `#/resources/users` by a reference to the schema of that record. */
export function linked<T>(names: ReadonlyMap<string, TypeNames>, said: T): T {
  const linkedTo = (target: string): string => {
    const reference = recordReference(target)
    const known = reference && names.get(reference.resource)
    if (known === undefined) return target
    return `#/components/schemas/${reference?.listed === true ? known.list : known.single}`
  }
  const link = (node: unknown): unknown =>
    mapChildren(node, (value, key) => (key === '$ref' && typeof value === 'string' ? linkedTo(value) : link(value)))
  return link(said) as T
}

/** Collects the components that a node refers to, and those that they refer to. */
function follow(node: unknown, components: object, found: Set<string>): void {
  if (Array.isArray(node)) for (const item of node) follow(item, components, found)
  else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      if (key !== '$ref' || typeof value !== 'string') follow(value, components, found)
      else if (!found.has(value)) {
        found.add(value)
        const [, kind = '', name = ''] = COMPONENT.exec(value) ?? []
        follow(Reflect.get(Object(Reflect.get(components, kind)), name), components, found)
      }
    }
  }
}

/** The references in a node, without those in what they lead to. */
export function references(node: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  follow(node, {}, found)
  return found
}

/** The document without components that nothing refers to; the security schemes stay. */
export function used(document: OpenApiDocument): OpenApiDocument {
  const found = new Set<string>()
  const { components } = document
  follow(document.paths, components, found)
  const kept = Object.entries(components).map(([kind, parts]) => {
    if (kind === 'securitySchemes') return [kind, parts] as const
    const entries = Object.entries(Object(parts)).filter(([name]) => found.has(`#/components/${kind}/${name}`))
    return [kind, Object.fromEntries(entries)] as const
  })
  return { ...document, components: { schemas: {}, ...Object.fromEntries(kept) } }
}
