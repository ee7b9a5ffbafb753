import ultralytics

ultralytics.YOLO("yolo11n.pt").train(data="coco8.yaml")  # expect: SPS102
