/** Names of applications: what npm, Docker and compose take, and the nearest such name to one that they don't. */
import { LIMITS } from '../../limits.ts'

const VALID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
/** Names that would be taken for something else: the package itself, and folders of every application. */
const TAKEN = new Set(['plinth', 'node-modules', 'resources', 'plugins', 'data'])

function isValid(name: string): boolean {
  return VALID.test(name) && name.length <= LIMITS.applicationName && !TAKEN.has(name)
}

/** What is wrong with a name, with the nearest one that can be used; undefined when it can be used. */
export function wrongName(name: string): string | undefined {
  if (isValid(name)) return undefined
  const rule = TAKEN.has(name)
    ? `"${name}" is the name of something else.`
    : `"${name}" is no name for an application: small letters and digits, with single "-" between them, ${LIMITS.applicationName} at most, a letter first.`
  return `${rule} Use for example: plinth init ${nearestName(name)}`
}

/** The name that was probably meant, in the letters that are allowed. */
function nearestName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, LIMITS.applicationName)
    .replace(/-+$/, '')
  if (isValid(plain)) return plain
  return plain === '' ? 'my-app' : `my-${plain}`.slice(0, LIMITS.applicationName)
}

/** `room-bookings` for people: "Room bookings". */
export function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
}
