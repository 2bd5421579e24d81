/** Reads a time in the form of RFC 3339; undefined when it is not one. */
export function readTime(text: string): Date | undefined {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.exec(text) ??
      [];
  // Engines read the 30th of February as a day in March, and 24:00 as the next day.
  if (!day || new Date(Date.UTC(+year, +month - 1, +day)).getUTCDate() !== +day) return undefined;
  // More digits than Date keeps are cut, as not every engine reads them.
  const date = new Date(text.toUpperCase().replace(" ", "T").replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(date.getTime()) ? undefined : date;
}
