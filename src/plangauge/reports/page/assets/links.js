// The addresses of responses.

/** Return what follows `#response=` in the address of a response, the same in every page. */
function linkOf({ sample, model, epoch, nth }) {
  const [where, who] = [sample.id, model].map((text) => encodeURIComponent(wellFormed(text)));
  return [where.replaceAll("%2F", "/"), who, epoch, ...(nth > 1 ? [nth] : [])].join("/");
}

function wellFormed(text) {
  return text.replace(/\p{Cs}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}
