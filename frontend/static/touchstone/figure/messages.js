// The server's binary messages (rendering/figure3d.py): a JSON header and the arrays that it names.
const TYPES = { float32: Float32Array, uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array };

export async function fetchMessage(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return decode(await response.arrayBuffer());
}

function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const { name, type, shape, offset } of about.arrays) {
    const count = shape.reduce((product, side) => product * side, 1);
    arrays[name] = new TYPES[type](buffer, 4 + length + offset, count);
  }
  return { about, arrays };
}
