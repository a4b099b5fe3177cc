/** Lists that are one text: commas part their items. In an item `\,` is a comma and `\\` a backslash; any other backslash is itself. */

/** The items of such a text, as they are between its commas. */
export function itemsOf(text: string): readonly string[] {
  if (!text.includes('\\')) return text.split(',')
  let item = ''
  const items: string[] = []
  for (const [sign] of text.matchAll(/\\[\\,]|./gs)) {
    if (sign !== ',') item += sign.at(-1)
    else {
      items.push(item)
      item = ''
    }
  }
  return [...items, item]
}

/** An item as such a text has it. */
export function listedItem(item: string): string {
  return item.replaceAll(/[\\,]/g, String.raw`\$&`)
}
