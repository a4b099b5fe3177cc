/** A person's choice of channels for one kind of notification. */

export const REACHES = ['default', 'both', 'list', 'mail', 'neither'] as const

/** `default`: in the list, and by mail what concerns the person and is mailed by app.yaml. */
export type Reach = (typeof REACHES)[number]

export function isReach(value: unknown): value is Reach {
  return REACHES.some((one) => one === value)
}

export function isListed(reach: Reach): boolean {
  return reach !== 'mail' && reach !== 'neither'
}

export function isMailed({ reach, concerned }: { readonly reach: Reach; readonly concerned: boolean }, usual: boolean) {
  return reach === 'both' || reach === 'mail' || (reach === 'default' && usual && concerned)
}

/** The end of a sentence about a person: `is told in the list and by mail`. */
export function toldHow(listed: boolean, mailed: boolean): string {
  const ways = [...(listed ? ['in the list'] : []), ...(mailed ? ['by mail'] : [])]
  return ways.length === 0 ? 'is not told' : `is told ${ways.join(' and ')}`
}
