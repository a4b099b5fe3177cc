/** Versions of programs, and the ranges of package.json that admit them. */

type Version = readonly [major: number, minor: number, patch: number]

/** A comparison such as `>=1.2`; parts that are not written are free. */
const COMPARISON = /^(>=|<=|>|<|=|\^|~)?v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(?:[-+][\w.+-]*)?$/

/**
 * Whether a version is in a range as npm reads it: comparisons between spaces must all hold, and one side of a `||`.
 * undefined for a range in another form, such as an address.
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const given = versionOf(version)
  const sides = range.split('||').map((side) => side.trim().replace(/(>=|<=|>|<|=|\^|~)\s+/g, '$1'))
  const holds = sides.map((side) => {
    const parts = side.split(/\s+/).filter((part) => part !== '')
    const [least, dash, most] = parts
    const written = parts.length === 3 && dash === '-' ? [`>=${least}`, `<=${most}`] : parts
    return all(written.map((part) => admits(part, given)))
  })
  return holds.includes(undefined) ? undefined : holds.includes(true)
}

function all(holds: readonly (boolean | undefined)[]): boolean | undefined {
  return holds.includes(undefined) ? undefined : !holds.includes(false)
}

function versionOf(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text.split(/[-+]/)[0]!.split('.').map(Number)
  return [major, minor, patch]
}

function admits(comparison: string, version: Version): boolean | undefined {
  const found = COMPARISON.exec(comparison)
  if (found === null) return undefined
  const [, operator = '=', ...written] = found
  const parts = written.map((part) => (part === undefined || /[x*]/.test(part) ? undefined : Number(part)))
  const [major, minor] = parts
  if (major === undefined) return true
  const least: Version = [major, minor ?? 0, parts[2] ?? 0]
  // The first version after all those that the written parts mean.
  const after = minor === undefined ? next(least, 0) : parts[2] === undefined ? next(least, 1) : next(least, 2)
  if (operator === '>=') return compared(version, least) >= 0
  if (operator === '<') return compared(version, least) < 0
  if (operator === '>') return compared(version, after) >= 0
  if (operator === '<=') return compared(version, after) < 0
  const end =
    operator === '^'
      ? next(least, caretPlace(parts))
      : operator === '~'
        ? next(least, minor === undefined ? 0 : 1)
        : after
  return compared(version, least) >= 0 && compared(version, end) < 0
}

/** The part that may not change: the first that is not 0, or the last that is written. */
function caretPlace(parts: readonly (number | undefined)[]): number {
  const first = parts.findIndex((part) => part !== undefined && part > 0)
  return first >= 0
    ? first
    : Math.max(
        0,
        parts.findLastIndex((part) => part !== undefined),
      )
}

function next(version: Version, place: number): Version {
  const [major, minor, patch] = version
  return place === 0 ? [major + 1, 0, 0] : place === 1 ? [major, minor + 1, 0] : [major, minor, patch + 1]
}

function compared(one: Version, other: Version): number {
  const place = one.findIndex((part, index) => part !== other[index])
  return place < 0 ? 0 : one[place]! - other[place]!
}
