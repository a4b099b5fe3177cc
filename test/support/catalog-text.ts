/** A catalog as text, so that two of them can be compared and their first difference be seen. */
import type { Boot } from '../../engine/boot/boot.ts'
import { placeOf, type Span } from '../../engine/text/source.ts'

/** With its resources in the order of their names; without `places` a place is only that. */
export function catalogText(catalog: Boot['catalog'], places = false): string {
  const seen = new Map<object, number>()
  const plain = (value: unknown): unknown => {
    if (typeof value === 'function') return 'a function'
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof RegExp) return String(value)
    if ('source' in value && 'start' in value) return places ? placeOf(value as Span) : 'a place'
    const known = seen.get(value)
    if (known !== undefined) return `the ${known}th`
    seen.set(value, seen.size)
    if (value instanceof Map) return { map: [...value].map(([key, one]) => [plain(key), plain(one)]) }
    if (value instanceof Set) return { set: [...value].map(plain) }
    if (Array.isArray(value)) return value.map(plain)
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, one]) => [key, plain(one)]))
  }
  const resources = new Map([...catalog.resources].sort(([a], [b]) => (a < b ? -1 : 1)))
  return JSON.stringify(plain({ ...catalog, resources }), null, 1)
}

/** Where two texts differ first, with lines around it; undefined where they are equal. */
export function firstDifference(one: string, other: string): string | undefined {
  if (one === other) return undefined
  const [a, b] = [one.split('\n'), other.split('\n')]
  const at = a.findIndex((line, index) => line !== b[index])
  return `line ${at}:\n${a.slice(at - 12, at + 5).join('\n')}\nthe other:\n${b.slice(at - 5, at + 5).join('\n')}`
}
