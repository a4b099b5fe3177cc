/** Makes a finished catalog unchangeable, maps and sets included. */

/**
 * Freezes everything reachable, circles included. `keep` are values of others (field types, places in sources)
 * that stay as they are.
 */
export function deepFreeze<T>(value: T, keep: (value: object) => boolean, seen: Set<object> = new Set()): T {
  if (typeof value !== 'object' || value === null || seen.has(value) || keep(value)) return value
  seen.add(value)
  if (value instanceof Map) {
    for (const [key, item] of value) {
      deepFreeze(key, keep, seen)
      deepFreeze(item, keep, seen)
    }
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
  } else if (value instanceof Set) {
    for (const item of value) deepFreeze(item, keep, seen)
    Object.assign(value, { add: refuse, delete: refuse, clear: refuse })
  } else {
    for (const item of Object.values(value)) deepFreeze(item, keep, seen)
  }
  Object.freeze(value)
  return value
}

/** `Object.freeze` does not reach what a Map or Set holds, so their changing methods go. */
function refuse(): never {
  throw new TypeError('A catalog cannot be changed')
}
